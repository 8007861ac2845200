"""What a reader sees.

The answer on the first screen, the copy button beside the code, nothing that moves, paper, where
to look next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from .test_browser import TRACEBACK

SEVERAL = f"""{TRACEBACK}RuntimeError: CUDA error: device-side assert triggered
IndexError: Target 63 is out of bounds.
"""
VALUES = (
    "#v=%7B%22m%22%3A%2264%22%2C%22k%22%3A%22400%22%2C%22k2%22%3A%22784%22%2C%22n%22%3A%2210%22%7D"
)
FIX = ".tc-row[open] [data-tc-case] .tabbed-set"
PHONE = {"width": 390, "height": 844}
#: Where the fix begins: code or a command of the open row, or of the quick fix; where it is to be
#: read, its text.
FIRST = """() => {
    const row = document.querySelector(".tc-row[open]");
    const first = row
        ? (row.querySelector(".highlight, table, ol") ?? row.querySelector("p"))
        : document.querySelector("#fix ~ * .highlight, #fix ~ .highlight, #fix ~ p");
    return first.getBoundingClientRect().top;
}"""
#: Share of the pages whose fix begins on a phone's first screen.
EARLY = 0.95


def test_a_paste_aimed_at_nothing_is_taken(page: Page, address: str) -> None:
    page.goto(f"{address}en/")
    expect(page.locator("#tc-paste")).to_be_focused()
    page.evaluate(
        "text => { document.activeElement.blur(); return navigator.clipboard.writeText(text); }",
        TRACEBACK,
    )
    page.keyboard.press("Control+V")
    expect(page.locator("#tc-paste")).to_have_value(TRACEBACK)
    expect(page.locator(".tc-hit mark")).to_contain_text("64x864")


def test_on_a_phone_the_answer_comes_into_view_and_nothing_else_moves(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{address}en/")
    page.wait_for_selector("form[data-started]")
    assert page.evaluate("() => [document.activeElement.tagName, scrollY]") == ["BODY", 0], (
        "no keyboard before it is wanted"
    )
    box = page.locator("#tc-paste").bounding_box()
    assert box and box["y"] + box["height"] < 500
    page.locator("[data-example]").first.tap()
    expect(page.locator(".tc-hit h2")).to_be_in_viewport(ratio=1)
    context.close()


def test_was_this_it_leads_to_what_else_the_paste_holds(page: Page) -> None:
    page.locator("#tc-paste").fill(SEVERAL)
    hits = page.locator(".tc-result h2 a, .tc-also a")
    expect(hits.first).to_be_visible()
    stems = {
        link.split("/#")[0].rpartition("/")[2]
        for link in hits.evaluate_all("all => all.map(link => link.href)")
    }
    assert len(stems) > 1
    hits.first.click()
    others = page.locator("[data-tc-next] li[data-tc-found]")
    expect(others).to_have_count(len(stems) - 1)
    expect(page.locator("[data-tc-next] li").first).to_contain_text("also in your text")
    others.first.locator("a").click()
    expect(page).to_have_url(re.compile("/en/[a-z-]+/[a-z-]+/$"))
    expect(page.locator("[data-tc-found]")).to_have_count(0)


def test_made_up_candidates_lead_nowhere(page: Page, address: str) -> None:
    page.goto(
        f"{address}en/shapes/matmul-shapes/#v=%7B%7D&also=__proto__,constructor,../../evil,"
        "%3Cimg%20src=x%3E,device-side-assert"
    )
    expect(page.locator("[data-tc-found]")).to_have_count(1)
    assert (
        page.locator("[data-tc-found] a").evaluate("link => link.href")
        == f"{address}en/devices/device-side-assert/"
    )
    assert page.locator("[data-tc-next] img").count() == 0


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_fix_begins_on_the_first_screen_of_a_phone(
    browser: Browser, address: str, site_folder: Path, language: str
) -> None:
    symptoms = json.loads(
        (site_folder / language / "assets" / "index.json").read_text(encoding="utf-8")
    )["symptoms"]
    pages = [f"{facts['topic']}/{stem}" for stem, facts in symptoms.items()]
    assert len(pages) > 50
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    late = {}
    for path in pages:
        page.goto(f"{address}{language}/{path}/", wait_until="domcontentloaded")
        top = page.evaluate(FIRST)
        if top > PHONE["height"]:
            late[path] = top
    assert len(late) <= (1 - EARLY) * len(pages), late
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_copy_button_covers_no_code(browser: Browser, address: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    for path in (
        "en/shapes/matmul-shapes/",
        "zh/notebooks/shapes/matmul-shapes/",
        "en/tips/nn/training-loop/",
        "en/lookup/",
    ):
        page.goto(f"{address}{path}")
        page.wait_for_selector(".md-code__button", state="attached")
        covered = page.evaluate(
            """() => [...document.querySelectorAll(".md-code__button")].filter((button) => {
                const box = button.getBoundingClientRect();
                if (!box.width) return false; // of a tab that is not open
                const code = button.closest("pre").querySelector("code").getBoundingClientRect();
                return box.left < code.right - 1 && box.right > code.left + 1
                    && box.top < code.bottom - 1 && box.bottom > code.top + 1;
            }).length"""
        )
        assert covered == 0, f"{path} at {width}: {covered}"
    context.close()


def test_what_is_copied_has_no_marks_and_no_prompt(page: Page, address: str) -> None:
    page.goto(f"{address}en/autograd/backward-second-time/")
    page.locator(f"{FIX} .tabbed-labels label").nth(1).click()
    diff = page.locator(f"{FIX} .tc-diff").first
    expect(diff).to_be_visible()
    expect(diff.locator(".md-code__nav")).to_be_hidden()
    page.goto(f"{address}en/lookup/")
    page.locator(".highlight", has_text="train.py").locator(".md-code__button").click()
    assert (
        page.evaluate("() => navigator.clipboard.readText()")
        == "python train.py 2>&1 | torchclinic lookup\ntorchclinic run python train.py"
    )


@pytest.mark.full
def test_a_dark_page_is_printed_dark_on_white_with_all_its_tabs(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(f"{address}en/shapes/matmul-shapes/")
    expect(page.locator("body")).to_have_css("background-color", "rgb(18, 25, 28)")
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator(".md-typeset h1")).to_have_css("color", "rgb(28, 43, 48)")
    tabs = page.locator(FIX).first.locator(".tabbed-block")
    assert tabs.count() >= 3
    for at in range(tabs.count()):
        expect(tabs.nth(at)).to_be_visible()
    closed = page.locator("[data-tc-choice] > [data-tc-row]:not([open])").first
    expect(closed.locator("summary").first).to_be_visible()
    expect(closed.locator(".tc-do")).to_be_hidden()
    for gone in (
        ".md-header",
        ".md-tabs",
        ".md-footer",
        ".md-sidebar--primary",
        ".tc-run",
        "[data-tc-next]",
    ):
        expect(page.locator(gone).first).to_be_hidden()
    shown = "link => getComputedStyle(link, '::after').content"
    assert "pytorch.org" in page.locator(".md-typeset li a[href*='pytorch.org']").first.evaluate(
        shown
    )
    assert page.locator(".tc-evidence a").evaluate(shown) == "none"
    context.close()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_cheat_sheet_is_printed_on_two_pages(
    browser: Browser, address: str, language: str
) -> None:
    page = browser.new_page()
    page.goto(f"{address}{language}/cheat-sheet/")
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type ?/Page\b", printed)) == 2
    assert set(re.findall(rb"/MediaBox \[0 0 (\d+)[.\d]* (\d+)", printed)) == {(b"594", b"841")}
    page.close()


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_figure_is_shown_in_one_colour_scheme(
    browser: Browser, address: str, scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{address}en/tips/memory/free-tensors/")
    for name in ("light", "dark"):
        expect(page.locator(f".md-typeset img[src$='#only-{name}']")).to_be_visible(
            visible=name == scheme
        )
    context.close()


@pytest.mark.full
@pytest.mark.parametrize(
    "path",
    [
        "en/",
        pytest.param("zh/", marks=pytest.mark.full),
        pytest.param("en/lookup/", marks=pytest.mark.full),
        pytest.param("zh/shapes/matmul-shapes/", marks=pytest.mark.full),
        f"en/shapes/matmul-shapes/{VALUES}",
        pytest.param("en/messages/", marks=pytest.mark.full),
        pytest.param("en/tags/", marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_while_a_page_loads(
    browser: Browser, address: str, path: str, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.add_init_script(
        """window.shift = 0;
        const add = (list) => list.getEntries().forEach((entry) => (window.shift += entry.value));
        new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });"""
    )
    page.goto(f"{address}{path}")
    page.wait_for_timeout(700)
    assert page.evaluate("() => window.shift") < 0.02  # 0.1 counts as good
    context.close()


def heavy(page: Page) -> bool:
    return page.evaluate("() => Boolean(window.document$)")


def hold_script(page: Page) -> Callable[[], None]:
    """Keep Material's script back; the result lets go what was asked for, as soon as it was."""
    held: list[Route] = []
    page.route("**/bundle.*.js", lambda route: held.append(route))

    def release() -> None:
        while not held:
            page.wait_for_timeout(50)
        held.pop().continue_()

    return release


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_whole_before_materials_script_comes(
    browser: Browser, address: str, scheme: str
) -> None:
    context = browser.new_context(
        color_scheme=scheme, permissions=["clipboard-read", "clipboard-write"]
    )
    page = context.new_page()
    page.goto(f"{address}en/autograd/backward-second-time/")
    expect(page.locator("body")).to_have_attribute(
        "data-md-color-scheme", {"light": "default", "dark": "slate"}[scheme]
    )
    expect(page.locator("[data-md-component=palette] label:visible")).to_have_count(1)
    buttons = page.locator(f"{FIX} .md-code__button")
    expect(buttons.first).to_be_visible()
    buttons.first.evaluate("button => button.click()")  # no pointer moves
    expect(page.locator(".md-dialog")).to_have_text("Copied to clipboard")
    assert page.evaluate("() => navigator.clipboard.readText()").startswith(("import ", "from "))
    assert not heavy(page)
    page.mouse.move(20, 400)
    page.wait_for_function("() => window.document$")
    assert (
        page.locator(".highlight:not(.tc-diff) > pre").count()
        == page.locator(".md-code__button").count()
    )
    context.close()


@pytest.mark.full
def test_what_is_done_while_materials_script_comes_is_not_lost(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    release = hold_script(page)
    page.goto(f"{address}en/shapes/matmul-shapes/")
    page.keyboard.press("/")
    page.locator("[data-md-component=palette] label:visible").click()
    page.locator("[data-md-component=palette] label").nth(1).evaluate("label => label.click()")
    assert not heavy(page)
    release()
    page.wait_for_function("() => window.document$")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator("body")).to_have_attribute(
        "data-md-color-scheme", "slate"
    )  # before anything is done
    assert not heavy(page)
    page.keyboard.press("/")
    release()
    expect(page.locator(".md-search__input")).to_be_focused()
    context.close()


@pytest.mark.full
def test_a_tap_on_search_brings_the_keyboard(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True)
    page = context.new_page()
    release = hold_script(page)
    page.goto(f"{address}zh/memory/cuda-oom/")
    page.locator(".md-header__button[for=__search]").tap()
    expect(page.locator(".md-search__input")).to_be_focused()  # before the script has come
    page.keyboard.type("BatchNorm")
    release()
    expect(page.locator(".md-search-result__link").first).to_be_visible()
    context.close()


@pytest.mark.full
def test_without_a_clipboard_the_code_is_selected(browser: Browser, address: str) -> None:
    """A site that is served without https has none."""
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto(f"{address}en/shapes/matmul-shapes/")
    page.locator(f"{FIX} .md-code__button").first.click()
    code = page.locator(f"{FIX} pre > code").first
    assert page.evaluate("() => getSelection().toString()").strip() == code.inner_text().strip()
    context.close()


@pytest.mark.parametrize("path", ["en/shapes/matmul-shapes/", "zh/tips/nn/training-loop/"])
def test_a_page_is_copied_as_markdown(page: Page, address: str, path: str) -> None:
    page.goto(address + path)
    button = page.get_by_role(
        "button", name={"en": "Copy as Markdown", "zh": "复制为 Markdown"}[path[:2]]
    )
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-md-component=dialog]")).to_have_text(
        {"en": "Copied to clipboard", "zh": "已复制"}[path[:2]]
    )
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == page.request.get(f"{address}{path}index.md").text() and copied.startswith("# ")
    page.goto(f"{address}{path[:2]}/about/")
    assert page.locator(".tc-copy").count() == 0


@pytest.mark.full
@pytest.mark.parametrize("lost", ["the clipboard", "the copy", "the permission"])
def test_copied_is_not_said_of_a_page_that_was_not(
    browser: Browser, address: str, lost: str
) -> None:
    """The copy itself is shown then, or the browser's own word of what is wrong."""
    context = browser.new_context(
        permissions=[] if lost == "the permission" else ["clipboard-write"]
    )
    page = context.new_page()
    said: list[str] = []
    page.expose_function("heard", lambda text: said.append(text))
    page.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
            const dialog = document.querySelector("[data-md-component=dialog]");
            const tell = () => heard(dialog.innerText);
            new MutationObserver(tell).observe(dialog, { subtree: true, childList: true });
        })"""
    )
    if lost == "the clipboard":
        page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    elif lost == "the permission":
        page.add_init_script(
            """navigator.clipboard.write = async () => {
                throw new DOMException("", "NotAllowedError");
            }"""
        )
    page.goto(f"{address}en/shapes/matmul-shapes/")
    if lost == "the copy":
        page.route(
            "**/index.md",
            lambda route: route.fulfill(status=404, body="gone", content_type="text/plain"),
        )
    else:
        page.route(
            "**/index.md", lambda route: route.fulfill(body="# the copy", content_type="text/plain")
        )
    page.locator(".tc-copy").click()
    page.wait_for_url("**/shapes/matmul-shapes/index.md")
    assert said == []
    context.close()


@pytest.mark.full
def test_without_a_script_or_a_server_the_copy_is_a_link(
    browser: Browser, address: str, site_folder: Path
) -> None:
    for javascript, start in ((False, address), (True, f"{site_folder.as_uri()}/")):
        context = browser.new_context(java_script_enabled=javascript)
        page = context.new_page()
        folder = f"{start}en/shapes/matmul-shapes/"
        page.goto(f"{folder}index.html")
        link = page.get_by_role("link", name="Copy as Markdown")
        assert link.get_attribute("href") == "index.md"
        assert (site_folder / "en/shapes/matmul-shapes/index.md").is_file()
        context.close()
