"""What a reader does: paste, follow the hit, copy the fix, switch language, search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from torchclinic import LANGUAGES
from torchclinic.commands.search import Box
from torchclinic.content.catalogue import Catalogue
from torchclinic.site import knowledge_parts as maker

from . import measure
from .conftest import shots_folder

FULL = pytest.mark.full

TRACEBACK = """Traceback (most recent call last):
  File "train.py", line 41, in <module>
    logits = model(images)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x864 and 1176x10)
"""

CUDA = (
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3; 60.97 GiB total capacity; "
    "58.20 GiB already allocated; 300.00 MiB free; 59.00 GiB reserved in total by PyTorch)\n"
)
#: torch_npu says it so.
NPU = CUDA.replace("CUDA", "NPU").replace("(GPU", "(NPU")
NPU = NPU.replace("allocated;", "allocated; 58.20 GiB current active;")


def paste(page: Page, text: str) -> None:
    """As a person does: through the clipboard."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator("#tc-paste").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+V")


def test_from_paste_to_fix_to_the_other_language(page: Page, address: str) -> None:
    paste(page, TRACEBACK)
    hit = page.locator(".tc-hit").first
    expect(hit.locator("mark")).to_contain_text("64x864 and 1176x10")
    expect(hit.locator(".tc-diagnosis")).to_contain_text("864")
    # The cause that the text tells, with its fix and the others, from the page.
    expect(hit.locator("h3").first).to_have_text(
        "Cause: The layer was counted for another image size"
    )
    expect(hit.locator("[data-tc-case=image-size] .tabbed-block").first).to_contain_text(
        "nn.Linear("
    )
    # The first button copies it, the second opens the page.
    expect(hit.locator(".tc-actions > :visible")).to_have_text(["Copy fix", "Open the page"])
    hit.get_by_role("button", name="Copy fix").click()
    expect(hit.locator(".tc-actions button")).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()").startswith(("import ", "from "))
    expect(hit.locator("mark")).to_be_hidden()
    other = hit.locator("details[data-tc-row=layers-not-chained]")
    expect(other).to_be_hidden()
    hit.get_by_text("Other causes").click()
    other.locator("summary").first.click()
    expect(other.locator("[data-tc-case=layers-not-chained] .highlight").first).to_be_visible()
    hit.locator("h2 a").click()
    expect(page).to_have_url(
        f"{address}en/shapes/matmul-shapes/#v=%7B%22m%22%3A%2264%22%2C%22k%22%3A%22864%22%2C"
        "%22k2%22%3A%221176%22%2C%22n%22%3A%2210%22%7D&cause=image-size&m=RuntimeError%3A%20mat1"
        "%20and%20mat2%20shapes%20cannot%20be%20multiplied%20(64x864%20and%201176x10)"
    )
    yours = page.locator("[data-tc-diagnoses]")
    expect(yours).to_be_visible()
    expect(yours.locator("code")).to_contain_text("(64x864 and 1176x10)")
    expect(page.locator("#see ~ .tc-message").first).to_be_hidden()
    expect(page.locator("[data-tc-row]").first).to_have_attribute("data-tc-row", "image-size")
    expect(page.locator("[data-tc-row].tc-own summary").first).to_contain_text("yours")
    # The first code block of the quick fix is the fix, and its button copies just that.
    block = (
        page.locator(".tc-row[open] [data-tc-case] .tabbed-set")
        .first.locator(".tabbed-block")
        .first.locator(".highlight")
        .first
    )
    block.hover()
    block.locator("button[data-md-type=copy], .md-clipboard").first.click()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert (
        copied.startswith(("import ", "from ")) and "assert" not in copied and "%%" not in copied
    ), "the fix alone, with its imports"
    page.locator("[data-tc-language]").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    assert page.url.startswith(f"{address}zh/shapes/matmul-shapes/")
    expect(page.locator("[data-tc-diagnoses]")).to_contain_text("1176")


def test_where_the_text_tells_no_cause_the_most_common_stands_first(page: Page) -> None:
    paste(page, TRACEBACK.replace("864", "400").replace("1176", "784"))
    hit = page.locator(".tc-hit").first
    expect(hit.locator("h3").first).to_contain_text("Check first")
    expect(hit.locator("[data-tc-case] .highlight").first).to_be_visible()
    others = hit.locator("details[open]", has_text="Which of these do you see?")
    expect(others.locator("[data-tc-row] > summary").first).to_be_visible()
    expect(others.locator("[data-tc-row][open]")).to_have_count(0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_speaks_of_the_readers_own_device(page: Page, address: str, language: str) -> None:
    """The card and the page opened from it: what stands for CUDA's names, and what it is."""
    page.goto(f"{address}{language}/lookup/")
    paste(page, NPU)
    hit = page.locator(".tc-hit").first
    expect(hit.locator(".tc-diagnosis")).to_contain_text("NPU 3")
    hit.locator("h2 a").click()
    yours = page.locator("[data-tc-diagnoses]")
    expect(yours.locator("[data-tc-device]")).to_contain_text("npu-smi info")
    expect(yours.locator("[data-tc-device]")).to_contain_text("PYTORCH_NPU_ALLOC_CONF")
    expect(yours.locator(".tc-diagnosis")).to_contain_text("NPU 3")
    page.locator("[data-tc-ask] textarea").fill(CUDA)
    expect(yours.locator(".tc-diagnosis")).to_contain_text("GPU 3")
    expect(yours.locator("[data-tc-device]")).to_have_count(0)


def test_a_message_on_its_page_opens_its_row(page: Page, address: str) -> None:
    page.goto(f"{address}en/shapes/matmul-shapes/")
    first, field = page.locator("[data-tc-row]").first, page.locator("[data-tc-ask] textarea")
    usual = first.get_attribute("data-tc-row")
    field.fill(TRACEBACK.replace("64x864", "1x25088").replace("1176x10", "784x128"))
    expect(page.locator("[data-tc-diagnoses] code")).to_contain_text("1x25088 and 784x128")
    expect(first).to_have_attribute("data-tc-row", "flattened-batch")
    expect(first).to_have_attribute("open", "")
    expect(first.locator("summary").first).to_contain_text("most likely yours")
    expect(page.locator(f"[data-tc-row={usual}]")).not_to_have_attribute("open", "")
    # Its numbers alone tell the same.
    page.reload()
    page.goto(f"{address}en/shapes/matmul-shapes/")
    field.fill("1x25088 and 784x128")
    expect(first).to_have_attribute("data-tc-row", "flattened-batch")
    expect(page.locator("[data-tc-pictures] text", has_text="25088").first).to_be_attached()
    # Another page's message leads there.
    field.fill("RuntimeError: CUDA error: device-side assert triggered")
    expect(page.locator("[data-tc-ask] [role=status] a")).to_have_attribute(
        "href", re.compile("/en/devices/device-side-assert/")
    )
    field.fill("no error at all")
    expect(page.locator("[data-tc-ask] [role=status] a")).to_have_attribute(
        "href", re.compile("/en/lookup/#q=no%20error")
    )


def test_an_address_opens_the_row_that_holds_it(page: Page, address: str) -> None:
    page.goto(f"{address}en/shapes/matmul-shapes/#bidirectional")
    expect(page.locator("#bidirectional")).to_be_in_viewport()
    page.locator("a[href='#fix']").first.evaluate("link => link.click()")
    expect(page.locator("[data-tc-row]:has(> #fix)")).to_have_attribute("open", "")


def test_the_readers_own_line_stands_above_the_fix(page: Page) -> None:
    page.locator("#tc-paste").fill(TRACEBACK)
    own = page.locator(".tc-own-code")
    expect(own).to_contain_text("train.py:41")
    expect(own.locator("code")).to_have_text("logits = model(images)")


def test_a_file_dropped_anywhere_is_read(page: Page) -> None:
    expect(page.locator("form[data-started]")).to_be_attached()
    drop = """([type, text, name, kind]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], name, { type: kind }));
        document.querySelector(".md-footer, body").dispatchEvent(
            new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    }"""
    page.evaluate(drop, ["dragover", TRACEBACK, "run.log", "text/plain"])
    expect(page.locator("html[data-tc-drop]")).to_be_attached()
    page.evaluate(drop, ["drop", TRACEBACK, "run.log", "text/plain"])
    expect(page.locator("[data-tc-name]")).to_have_text("run.log")
    expect(page.locator(".tc-hit h2")).to_be_in_viewport()
    expect(page.locator("html[data-tc-drop]")).to_have_count(0)
    page.evaluate(drop, ["drop", "\x89PNG", "error.png", "image/png"])
    expect(page.locator("[data-lookup-result]")).to_contain_text("This is a picture")


def test_a_switch_of_language_keeps_the_paste(page: Page) -> None:
    page.locator("#tc-paste").fill(TRACEBACK)
    expect(page.locator(".tc-hit h2")).to_be_visible()
    page.locator("[data-tc-language]").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.locator("#tc-paste")).to_have_value(TRACEBACK)
    expect(page.locator(".tc-hit h2")).to_be_visible()
    page.reload()
    expect(page.locator("form[data-started]")).to_be_attached()


def test_those_who_listen_hear_one_sentence(page: Page) -> None:
    page.locator("#tc-paste").fill(TRACEBACK)
    status = page.locator("[data-lookup] [role=status]")
    expect(status).to_have_text("Found: Two shapes that cannot be multiplied")
    assert (
        page.locator("[data-lookup-result][aria-live], [data-lookup-result] [aria-live]").count()
        == 0
    )


def test_without_a_network_for_the_causes_the_page_is_a_link_away(
    browser: Browser, address: str
) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        for name in ("assets/advice.json", "shapes/matmul-shapes/"):
            page.route(f"**/{name}", lambda route: route.abort())
        page.goto(f"{address}en/lookup/")
        page.locator("#tc-paste").fill(TRACEBACK)
        expect(page.locator(".tc-hit h2 a")).to_be_visible()
        expect(page.locator(".tc-hit h3")).to_have_count(0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (" \n\n", "nothing to look up"),
        ("\x01\x02\x03\x04" * 100, "not text"),
        ("ValueError: my own message at /home/ann/x.py", "No match"),
        (
            "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
            " RuntimeError: no",
            "No match",
        ),
    ],
)
def test_what_is_not_known_is_said(page: Page, text: str, says: str) -> None:
    page.locator("#tc-paste").fill(text)
    expect(page.locator("[data-lookup-result]")).to_contain_text(says)
    assert page.evaluate("() => window.hacked") is None
    assert page.locator("[data-lookup-result] img, [data-lookup-result] script").count() == 0


def test_the_report_is_redacted_and_shown_before_it_is_copied(page: Page) -> None:
    page.locator("#tc-paste").fill("OddError: cannot open /home/ann/secret.pt on 10.0.0.7")
    report = page.locator(".tc-none pre").last
    expect(report).to_contain_text("<path>")
    page.locator(".tc-none button").click()
    expect(page.locator(".tc-none button")).to_have_text("Copied")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.strip() == report.inner_text().strip()
    assert "/home" not in copied and "10.0" not in copied


@pytest.mark.full
def test_five_megabytes_of_noise_do_not_freeze_the_page(page: Page) -> None:
    page.evaluate(
        """text => {
            const area = document.querySelector("#tc-paste");
            area.value = text;
            area.dispatchEvent(new Event("input"));
        }""",
        "".join(f"step {n} of the run: nothing to see\n" for n in range(140_000)) + TRACEBACK,
    )
    expect(page.locator(".tc-hit h2")).to_be_visible()
    expect(page.locator(".tc-hit figcaption")).to_contain_text("140004")


def test_where_no_page_knows_a_message_pytorchs_own_source_may(page: Page) -> None:
    asked: list[str] = []
    page.on(
        "request", lambda request: asked.append(request.url) if "origins" in request.url else None
    )
    paste(page, TRACEBACK)
    expect(page.locator(".tc-hit h2 a")).to_be_visible()
    assert asked == [], "it is asked only where no page matches"
    message = "RuntimeError: No rendezvous handler for <b>://"
    page.locator("#tc-paste").fill(
        f'File "/lib/torch/distributed/rendezvous.py", line 82, in _rendezvous_helper\n{message}'
    )
    place = page.locator(".tc-none .tc-origin").first
    expect(place).to_contain_text("_rendezvous_helper (torch/distributed/rendezvous.py), when")
    expect(place.locator("a")).to_have_attribute(
        "href",
        re.compile(
            "^https://github.com/pytorch/pytorch/blob/v[0-9.]+"
            "/torch/distributed/rendezvous.py#L[0-9]+$"
        ),
    )
    expect(page.locator(".tc-none mark")).to_have_text(message)
    assert not [url for url in asked if "rendezvous" in url]
    page.locator("#tc-paste").fill(
        "RuntimeError: Closure use is not currently supported if GradScaler is enabled."
    )
    expect(place).to_contain_text("GradScaler.step (torch/amp/grad_scaler.py)")
    expect(place.locator("a").last).to_have_attribute(
        "href", "https://docs.pytorch.org/docs/stable/search.html?q=torch.GradScaler"
    )


def test_a_log_file_is_read_in_slices(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    with file.open("w", encoding="utf-8") as log:
        for n in range(400_000):
            log.write(f"2026-11-21 10:00:00 step {n} loss 0.{n % 1000:03d}\n")
        log.write(TRACEBACK)
    page.locator("input[type=file]").set_input_files(str(file))
    expect(page.locator(".tc-hit h2")).to_be_visible()
    expect(page.locator(".tc-hit figcaption")).to_contain_text("400004")


def test_deep_links_and_examples(page: Page, address: str) -> None:
    page.goto(f"{address}zh/lookup/#q=IndexError%3A%20Target%2063%20is%20out%20of%20bounds.")
    page.reload()
    expect(page.locator(".tc-hit .tc-diagnosis")).to_contain_text("63")
    page.locator("[data-lookup] button[type=reset]").click()
    page.locator("[data-example]").first.click()
    expect(page.locator(".tc-hit h2")).to_be_visible()


def test_keyboard_alone_reaches_the_page(page: Page, address: str) -> None:
    page.locator("#tc-paste").focus()
    page.keyboard.insert_text(TRACEBACK)
    expect(page.locator(".tc-hit h2 a")).to_be_visible()
    page.locator(".tc-hit h2 a").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}en/shapes/matmul-shapes/**")


def search(page: Page, query: str) -> Locator:
    """Type into the box of the page that is open; the first result."""
    page.locator(".md-search__input").click()
    page.keyboard.insert_text(query)
    page.keyboard.press("ArrowLeft")  # Material listens to keys
    first = page.locator(".md-search-result__item").first
    expect(first).to_be_visible()
    return first


@pytest.mark.parametrize(
    ("language", "query", "best"),
    [
        ("zh", "显存不足", "memory/cuda-oom"),
        ("zh", "爆顯存", "memory/cuda-oom"),
        ("zh", "loss不下降", "tips/autograd/debug-gradients"),
        ("en", "dataloder worker killed", "data-loading/worker-killed"),
        ("en", "loss nan", "numerics/loss-nan"),
    ],
)
def test_search(page: Page, address: str, language: str, query: str, best: str) -> None:
    page.goto(f"{address}{language}/about/")
    first = search(page, query)
    assert f"/{language}/{best}/?h=" in first.locator("a").first.get_attribute("href")
    expect(first.locator("mark").first).to_be_visible()
    link = first.locator("a").first
    for _ in range(50):  # a list that is shown anew meanwhile takes the focus with it
        page.locator(".md-search__input").focus()
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(500)
        if link.evaluate("link => link === document.activeElement"):
            break
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}{language}/{best}/**")
    # Material's script comes with what the reader does, and marks the words.
    page.mouse.move(300, 300)
    expect(page.locator(".md-content mark[data-md-highlight]").first).to_be_attached()


def test_the_search_is_that_of_the_command_line(
    page: Page, address: str, clinic: Catalogue
) -> None:
    box = Box(clinic.index(), maker.search_index(clinic, "en"))
    page.goto(f"{address}en/")
    for query in (
        "nan",
        "does not require grad",
        "Target 10 is out of bounds",
        "multi gpu training slow",
    ):
        page.locator(".md-search__input").fill("")
        search(page, query)
        answer = box.search(query)
        best = [box.table.docs[hit["doc"]] for hit in answer["hits"][:3]]
        for place, (_, there, title, _) in enumerate(best):
            link = page.locator(".md-search-result__item").nth(place).locator("a").first
            expect(link.locator("h1")).to_have_text(title)
            expect(link).to_have_attribute(
                "href", re.compile(re.escape(f"/en/{there.partition('#')[0]}?h="))
            )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_in_the_search_box_is_looked_up(page: Page, address: str, language: str) -> None:
    page.goto(f"{address}{language}/")
    first = search(
        page, "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x864 and 1176x10)"
    )
    expect(first).to_contain_text(
        {
            "en": "Cause: The layer was counted for another image size",
            "zh": "原因：in_features 是按其他图像大小算的",
        }[language]
    )
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}{language}/shapes/matmul-shapes/?h=#v=**")
    expect(page.locator("[data-tc-diagnoses]")).to_contain_text("1176")


@pytest.mark.full
def test_the_list_does_not_wait_for_the_lookup(page: Page, address: str) -> None:
    held: list[Route] = []
    page.context.route("**/assets/index.json", lambda route: held.append(route))
    page.goto(f"{address}en/about/")
    first = search(page, "mat1 and mat2 shapes cannot be multiplied (64x864 and 1176x10)")
    expect(first.locator("a").first).to_have_attribute("href", re.compile("/shapes/matmul-shapes/"))
    for route in held:
        route.continue_()


@pytest.mark.parametrize(
    ("language", "query", "said"),
    [
        ("en", "kaggle submission format", "Nothing fits well"),
        ("zh", "考研调剂", "没有很合适的结果"),
    ],
)
def test_where_nothing_fits_well_that_is_said(
    page: Page, address: str, language: str, query: str, said: str
) -> None:
    page.goto(f"{address}{language}/")
    first = search(page, query)
    expect(first).to_contain_text(said)
    expect(page.locator(".md-search-result__meta")).to_have_text(said)
    page.keyboard.press("Enter")
    expect(page.locator("#tc-paste")).to_have_value(query)


@pytest.mark.full
def test_a_lookup_that_starts_late_leaves_the_search_its_focus(page: Page, address: str) -> None:
    held: list[Route] = []
    page.context.route("**/assets/lookup-page.js", lambda route: held.append(route))
    page.goto(f"{address}en/", wait_until="domcontentloaded")
    box = page.locator(".md-search__input")
    box.click()
    while not held:
        page.wait_for_timeout(50)
    for route in held:
        route.continue_()
    expect(page.locator("form[data-started]")).to_be_attached()
    expect(box).to_be_focused()


@pytest.mark.full
@pytest.mark.parametrize("query", ["4", "+ - ~ ^ :", "loss:nan^4", "\ud800", "a " * 50_000])
def test_whatever_is_typed_is_answered(page: Page, address: str, query: str) -> None:
    page.goto(f"{address}zh/")
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").evaluate("(input, text) => { input.value = text; }", query)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".md-search-result__item").first).to_be_visible()


def test_what_comes_into_the_box_without_a_key_is_sought(page: Page, address: str) -> None:
    """As a mouse, a phone or an input method for Chinese puts it there."""
    page.goto(f"{address}zh/")
    page.locator(".md-search__input").click()
    page.wait_for_function("() => window.document$")
    page.keyboard.insert_text("显存不足")
    expect(page.locator(".md-search-result__item").first).to_contain_text("CUDA out of memory")


def test_the_list_of_messages_narrows_as_one_types(page: Page, address: str) -> None:
    page.goto(f"{address}en/memory/cuda-oom/")  # its JSON-LD must not trouble the policy
    page.locator("a", has_text="Messages from A to Z").first.click()
    status = page.locator(".tc-filter [role=status]")
    expect(status).to_have_text(re.compile(r"(\d+) of \1 messages"))
    page.locator("#tc-filter").focus()
    page.keyboard.type("MAT1 multiplied")
    expect(page.locator(".tc-index li:visible").first).to_contain_text(
        "mat1 and mat2 shapes cannot be multiplied"
    )
    assert page.locator("h2:visible").count() == len(
        {text.strip()[0].lower() for text in page.locator(".tc-index li:visible").all_inner_texts()}
    )
    page.keyboard.press("Tab")  # the heading's own link
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{address}en/shapes/matmul-shapes/")
    page.go_back()
    expect(page.locator("#tc-filter")).to_have_value("MAT1 multiplied")
    page.locator("#tc-filter").fill("no message has these words")
    page.locator("[data-tc-none]").click()
    expect(page.locator("#tc-paste")).to_have_value("no message has these words")


def test_an_error_in_the_search_box_is_offered_to_the_lookup(page: Page, address: str) -> None:
    page.goto(f"{address}en/")
    page.evaluate("text => navigator.clipboard.writeText(text)", TRACEBACK)
    page.locator(".md-search__input").click()
    page.keyboard.press("Control+V")
    offer = page.locator("[data-tc-offer]")
    expect(offer).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#tc-paste")).to_have_value(TRACEBACK)
    expect(page.locator(".tc-hit mark")).to_contain_text("64x864")


def test_root_and_missing_pages(page: Page, address: str, browser: Browser) -> None:
    page.goto(address)
    page.wait_for_url(f"{address}en/**")
    chinese = browser.new_context(locale="zh-CN").new_page()
    chinese.goto(address)
    chinese.wait_for_url(f"{address}zh/**")
    chinese.context.close()
    other = browser.new_context().new_page()  # a missing page is an error in the console, rightly
    assert other.goto(f"{address}en/no/such/page/").status == 404
    expect(other.locator("body")).to_contain_text("页面不存在")
    other.context.close()


def test_reading_needs_no_javascript(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}en/autograd/backward-second-time/")
    expect(
        page.locator(".tc-row[open] [data-tc-case] .tabbed-set")
        .first.locator(".tabbed-block")
        .first
    ).to_be_visible()
    page.goto(f"{address}en/messages/")
    expect(page.locator(".tc-index li").first).to_be_visible()
    expect(page.locator(".tc-filter")).to_be_hidden()
    page.goto(f"{address}en/lookup/")
    expect(page.locator("noscript")).to_be_attached()
    context.close()


def test_the_notebook_page_holds_the_traceback_and_downloads(page: Page, address: str) -> None:
    page.goto(f"{address}en/notebooks/autograd/backward-second-time/")
    expect(page.locator(".md-content")).to_contain_text(
        "Trying to backward through the graph a second time"
    )
    for suffix in (".ipynb", ".py"):
        link = page.locator(f".md-content a[download][href$='{suffix}']").first.evaluate(
            "link => link.href"
        )
        assert link.endswith(f"/backward-second-time{suffix}") and page.request.get(link).ok, link


@pytest.mark.parametrize(
    ("language", "scheme", "width"),
    [
        pytest.param(
            *view, marks=() if view in (("en", "light", 1280), ("zh", "dark", 390)) else FULL
        )
        for view in measure.all_views()
    ],
)
def test_no_page_scrolls_sideways(
    browser: Browser, address: str, language: str, scheme: str, width: int
) -> None:
    view = {"width": width, "height": 844 if width < 600 else 900}
    # Less motion: no title on its way in a picture.
    context = browser.new_context(
        color_scheme=scheme, viewport=view, locale=language, reduced_motion="reduce"
    )
    page = context.new_page()
    folder = shots_folder()
    for name, path in {
        "home": "",
        "lookup": "lookup/",
        "none": "lookup/",
        "symptom": "shapes/matmul-shapes/",
        "notebook": "notebooks/shapes/matmul-shapes/",
        "tag": "tags/",
        "messages": "messages/",
        "exceptions": "exceptions/",
        "machines": "machines/",
    }.items():
        page.goto(f"{address}{language}/{path}")
        if name == "lookup":
            page.locator("#tc-paste").fill(TRACEBACK)
            expect(page.locator(".tc-hit")).to_be_visible()
        if name == "none":
            page.locator("#tc-paste").fill("ValueError: my own message at /home/ann/x.py")
            expect(page.locator(".tc-none")).to_be_visible()
        if name in ("lookup", "none") and width < 600:
            page.locator(".tc-result").scroll_into_view_if_needed()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), (
            f"{path} is wider than {width}"
        )
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=folder / f"{name}-{language}-{scheme}-{width}.png")
    context.close()
