"""What programs read, the index of messages, redirects: in the built site, in the whole catalogue,
and with hostile text."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
import yaml
from making import IDENT, OLD, STEM, read, visible
from selectolax.lexbor import LexborHTMLParser

from torchclinic import LANGUAGES
from torchclinic.content import catalogue, page, redirects
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.fields import Place
from torchclinic.content.header import make_wording
from torchclinic.content.problem import Problems
from torchclinic.site import machine_readable, markdown_copy, messages, redirect_pages

BASE = "https://example.org/clinic/"
ATOM, XHTML = "http://www.w3.org/2005/Atom", "http://www.w3.org/1999/xhtml"
HOSTILE = "</script><script>alert(1)</script> & \"quoted\" 'text' ]]> <!--"


def file_of(built: Path, address: str) -> Path:
    """The file that a host shows at an address of the site."""
    assert address.startswith(BASE), address
    path = unquote(address.removeprefix(BASE).partition("#")[0])
    return built / path / "index.html" if path.endswith("/") or not path else built / path


@pytest.fixture
def loaded(checkout: Path) -> Catalogue:
    return catalogue.load(checkout)


@pytest.fixture
def hostile(loaded: Catalogue) -> Catalogue:
    """The project, in which every text is an attempt to break out of where it stands."""
    symptom = loaded.symptoms[STEM]
    for made in symptom.pages.values():
        made.front.title, made.front.summary = HOSTILE, HOSTILE + "\x01"
        made.front.synonyms = [HOSTILE]
    entry = {
        "text": "<img src=x onerror=alert(1)> of {n:int} & <b>more</b>",
        "exception": "Type<i>Error",
        "sample": "x",
    }
    symptom.snippet.wordings = [
        make_wording(entry, Place(symptom.snippet.file, "", Problems(loaded.root)))
    ]
    loaded.tags = {name: dict.fromkeys(LANGUAGES, HOSTILE) for name in loaded.tags}
    return loaded


# ---- index.json


def test_the_index_has_its_documented_fields(built: Path) -> None:
    made = json.loads(read(built / "index.json"))
    assert made["version"] == 1 and made["site"] == BASE and made["languages"] == list(LANGUAGES)
    (symptom,) = made["symptoms"]
    assert symptom["id"] == IDENT and symptom["url"] == {
        language: f"{BASE}{language}/{IDENT}/" for language in LANGUAGES
    }
    assert symptom["wordings"][0]["text"].startswith("Trying to backward") and symptom[
        "exceptions"
    ] == ["RuntimeError"]
    assert symptom["evidence"]["2.13.0-py3.11-cpu"] == {"status": "passed", "date": "2026-11-02"}
    assert (
        symptom["evidence"]["2.13.0-py3.12-nvidia-h200"]["status"] == "skipped"
        and "GPU" in symptom["evidence"]["2.13.0-py3.12-nvidia-h200"]["skipped"]
    )
    assert set(symptom["tags"]) <= set(made["tags"]) and symptom["topic"] in made["topics"]
    assert set(symptom["evidence"]) == set(made["environments"])
    for addresses in (made["documentation"], symptom["url"], symptom["markdown"]):
        assert all(file_of(built, address).is_file() for address in addresses.values())


def test_every_field_is_documented_in_both_languages(clinic: Catalogue) -> None:
    made = machine_readable.index(clinic, BASE)
    entries = [*made["symptoms"], *made["tips"]]
    fields = {
        *made,
        *(name for entry in entries for name in entry),
        *(name for entry in made["symptoms"] for wording in entry["wordings"] for name in wording),
    }
    for language in LANGUAGES:
        text = read(clinic.root / "docs" / language / "machines.md")
        assert not [name for name in fields if f"`{name}`" not in text]


def test_the_whole_catalogue_is_in_the_index(clinic: Catalogue) -> None:
    made = json.loads(json.dumps(machine_readable.index(clinic, BASE)))
    assert [entry["id"] for entry in made["symptoms"]] == [
        symptom.id for symptom in clinic.symptoms.values()
    ]
    assert [entry["id"] for entry in made["tips"]] == [tip.id for tip in clinic.tips.values()]
    for entry in made["symptoms"]:
        assert (
            all(entry["title"].values())
            and all(entry["summary"].values())
            and set(entry["url"]) == set(LANGUAGES)
        )


# ---- Markdown


def test_copies_are_plain(clinic: Catalogue) -> None:
    for made in (*clinic.symptoms.values(), *clinic.tips.values()):
        for language in made.pages:
            text = markdown_copy.copy(clinic, made, language, f"{BASE}{language}/")
            assert text.startswith("# ") and text.count("```") % 2 == 0
            prose = re.sub(
                r"`[^`\n]*`",
                "",
                re.sub(
                    r"^ *(`{3,})[^\n]*\n.*?^ *\1$|^    [^\n]*$",
                    "",
                    text,
                    flags=re.DOTALL | re.MULTILINE,
                ),
            )
            wrong = re.findall(
                r"^===.*|</?[a-z]+[ >].*|\{ ?[#.:][^}]*\}|\{\{.*|&[a-z]+;|\]\((?!https?://)[^)]*\)",
                prose,
                re.MULTILINE,
            )
            assert not wrong, (made.id, language, wrong)


def test_a_copy_holds_the_code_as_it_is(loaded: Catalogue) -> None:
    symptom = loaded.symptoms[STEM]
    symptom.snippet.cells[:] = [
        dataclasses.replace(cell, source=cell.source + "\n\n\n# {end} <b> *")
        for cell in symptom.snippet.cells
    ]
    symptom.snippet.cases = {
        name: dataclasses.replace(
            case,
            cells={
                kind: dataclasses.replace(cell, source=cell.source + "\n\n\n# {end} <b> *")
                for kind, cell in case.cells.items()
            },
        )
        for name, case in symptom.snippet.cases.items()
    }
    text = markdown_copy.copy(loaded, symptom, "en", f"{BASE}en/")
    for case in symptom.snippet.cases.values():
        assert case.cells["fix"].source in text and case.cells["break"].source in text


def test_links_of_a_copy_lead_somewhere(built: Path) -> None:
    for language in LANGUAGES:
        text = read(built / language / IDENT / "index.md")
        targets = [
            target
            for target in re.findall(r"\]\(([^)\s]+)\)|<(https:[^>]+)>", text)
            for target in target
            if target.startswith(BASE)
        ]
        dead = [target for target in targets if not file_of(built, target).is_file()]
        assert targets and not dead


def test_llms_txt_names_every_copy(built: Path, clinic: Catalogue) -> None:
    targets = re.findall(r"^- \[.*?\]\((\S+)\): \S", read(built / "llms.txt"), re.MULTILINE)
    assert len(targets) == 2 and all(file_of(built, target).is_file() for target in targets)
    text = machine_readable.llms(clinic, BASE)
    for made in (*clinic.symptoms.values(), *clinic.tips.values()):
        assert all(f"({BASE}{language}/{made.id}/index.md): " in text for language in made.pages)


# ---- skills of coding agents


def test_skills_stand_where_agents_look(built: Path) -> None:
    folder = built / ".well-known/agent-skills"
    made = json.loads(read(folder / "index.json"))
    assert made["$schema"] == "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
    (skill,) = made["skills"]
    data = (folder / skill["url"]).read_bytes()
    assert (
        skill["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        and skill["type"] == "skill-md"
    )
    meta = yaml.safe_load(page.split_front_matter(data.decode())[0])
    # The format's own rules: agentskills.io/specification.
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", meta["name"]) and meta["name"] == skill[
        "name"
    ] == skill["url"].removesuffix("/SKILL.md")
    assert (
        0 < len(meta["description"]) <= 1024
        and meta["description"] == skill["description"]
        and len(meta["compatibility"]) <= 500
    )
    assert set(meta) <= {
        "name",
        "description",
        "license",
        "compatibility",
        "metadata",
        "allowed-tools",
    }
    assert f"({BASE}.well-known/agent-skills/{skill['url']})" in read(built / "llms.txt")


# ---- XML


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_feed(built: Path, language: str) -> None:
    root = ET.fromstring(read(built / language / "feed.xml"))
    atom = f"{{{ATOM}}}"
    (entry,) = root.findall(f"{atom}entry")
    assert (
        entry.findtext(f"{atom}updated")
        == root.findtext(f"{atom}updated")
        == "2026-11-02T00:00:00Z"
    )
    assert file_of(built, entry.find(f"{atom}link").get("href")).is_file()
    assert all(root.findtext(f"{atom}{name}") for name in ("title", "id")) and all(
        entry.findtext(f"{atom}{name}") for name in ("title", "id", "summary")
    )


def test_the_feed_names_no_day_on_which_other_code_ran(loaded: Catalogue) -> None:
    for record in loaded.evidence:
        record.symptoms[STEM]["hash"] = "0" * 12
    assert (
        "<entry>" not in machine_readable.feed(loaded, "en", BASE)
        and machine_readable.ran_on(loaded, loaded.symptoms[STEM]) == ""
    )


def test_one_sitemap_of_both_languages(built: Path) -> None:
    urls = ET.fromstring(read(built / "sitemap.xml"))
    places = [url.findtext(f"{{{machine_readable.SITEMAP}}}loc") for url in urls]
    for url in urls:
        pair = {link.get("hreflang"): link.get("href") for link in url.iter(f"{{{XHTML}}}link")}
        assert set(pair) == set(LANGUAGES) and set(pair.values()) <= set(places)
    assert len(set(places)) == len(places) and all(
        file_of(built, place).is_file() for place in places
    )
    assert f"{BASE}zh/{IDENT}/" in places and not [place for place in places if OLD in place]


# ---- a page's head


def test_canonical_and_hreflang_pairs(built: Path) -> None:
    for language in LANGUAGES:
        for file in (built / language).rglob("index.html"):
            page = LexborHTMLParser(read(file))
            canonical = [link.attributes["href"] for link in page.css('link[rel="canonical"]')]
            assert len(canonical) == 1, file
            if file.parent == built / language / OLD:
                continue
            assert file_of(built, canonical[0]) == file
            pairs = {
                link.attributes["hreflang"]: link.attributes["href"]
                for link in page.css('link[rel="alternate "][hreflang]')
            }
            assert set(pairs) == set(LANGUAGES) and pairs[language] == canonical[0]
            assert all(file_of(built, address).is_file() for address in pairs.values()), file
            assert not page.css('link[rel="alternate"]'), "Material would fetch a sitemap for each"


@pytest.mark.parametrize(
    ("language", "locale", "other"), [("en", "en_US", "zh_CN"), ("zh", "zh_CN", "en_US")]
)
def test_facts_for_search_engines(
    built: Path, loaded: Catalogue, language: str, locale: str, other: str
) -> None:
    text = read(built / language / IDENT / "index.html")
    graph = {
        tag.attributes["property"].removeprefix("og:"): tag.attributes["content"]
        for tag in LexborHTMLParser(text).css("meta[property]")
    }
    title = loaded.symptoms[STEM].title(language)
    assert (
        graph["title"] == title
        and graph["type"] == "article"
        and (graph["locale"], graph["locale:alternate"]) == (locale, other)
    )
    assert f"<title>{title} - Torch Clinic</title>" in text and text.count("<title>") == 1
    (script,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text)
    facts = json.loads(script)
    assert (
        facts["@type"] == "TechArticle"
        and facts["headline"] == title
        and facts["url"] == graph["url"]
        and facts["dateModified"] == "2026-11-02"
    )
    copy = LexborHTMLParser(text).css_first('link[type="text/markdown"]').attributes["href"]
    assert (built / language / IDENT / copy).is_file()
    assert "ld+json" not in read(
        built / language / "about" / "index.html"
    ) and "ld+json" not in read(built / language / "notebooks" / IDENT / "index.html")


# ---- redirects


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_old_address_leads_on(built: Path, language: str) -> None:
    text = read(built / language / OLD / "index.html")
    target = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', text)[1]
    assert (
        urljoin(f"{BASE}{language}/{OLD}/", target) == f"{BASE}{language}/{IDENT}/"
        and f'<a href="{target}">' in text
    )
    assert (
        f'<link rel="canonical" href="{BASE}{language}/{IDENT}/">' in text
        and "Content-Security-Policy" in text
    )
    assert (
        built / language / OLD / re.search(r'rel="stylesheet" href="([^"]+)"', text)[1]
    ).is_file()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"{IDENT}: {IDENT}", "is a page"),
        ("autograd/old: autograd/never", "neither a symptom nor a tip"),
        (f"../../etc/passwd: {IDENT}", "is no id"),
        (f"autograd/a: {IDENT}\nautograd/b: autograd/a", "today"),
    ],
)
def test_a_redirect_that_leads_nowhere_is_a_problem(tmp_path: Path, line: str, says: str) -> None:
    (tmp_path / "redirects.yml").write_text(line + "\n", encoding="utf-8")
    problems = Problems(tmp_path)
    redirects.read(tmp_path / "redirects.yml", {IDENT}, problems)
    assert (
        len(problems) == 1
        and says in problems[0].message
        and problems[0].line == line.count("\n") + 1
    )


# ---- the index of messages


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_stands_in_the_list(clinic: Catalogue, language: str) -> None:
    text = messages.messages_page(clinic, language)
    for symptom in clinic.symptoms.values():
        assert (f'<a href="../{symptom.id}/"><code>' in text) == bool(symptom.snippet.wordings), (
            symptom.id
        )
    rows = messages.rows(clinic, language)
    wordings = {
        (stem, wording.text, wording.exception)
        for stem, symptom in clinic.symptoms.items()
        for wording in symptom.snippet.wordings
    }
    assert text.count("<li>") == len(rows) > 0.97 * len(wordings), (
        "the same text once a symptom, whatever its holes are called"
    )
    letters = re.findall(r"^## (\S+) \{#(\S+)\}", text, re.MULTILINE)
    assert letters == sorted(
        letters, key=lambda pair: (pair[0] == messages.DIGITS, pair[0])
    ) and len(set(letters)) == len(letters)
    assert len(text.encode()) < 400_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_symptom_stands_under_its_exceptions(clinic: Catalogue, language: str) -> None:
    groups = dict(
        re.findall(
            r"^## .*?\{#([\w-]+)\}\n(.*?)(?=^## |\Z)",
            messages.exceptions_page(clinic, language),
            re.DOTALL | re.MULTILINE,
        )
    )
    for symptom in clinic.symptoms.values():
        for exception in {
            wording.exception.lower() or "log-lines" for wording in symptom.snippet.wordings
        } or {"silent"}:
            assert f"]({symptom.id}.md)" in groups[exception], (symptom.id, exception)
    assert groups["silent"].count("](") == sum(
        not symptom.snippet.wordings for symptom in clinic.symptoms.values()
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_needs_no_script_and_its_links_lead_somewhere(built: Path, language: str) -> None:
    for name in ("messages", "exceptions"):
        text = read(built / language / name / "index.html")
        assert f'href="../{IDENT}/"' in text and "Trying to backward" in text + read(
            built / language / "messages" / "index.html"
        )
        body = text.partition("<h1")[2].partition("</article>")[0]
        local = [target for target in re.findall(r'href="([^"#]+)', body) if "://" not in target]
        assert local and all(
            (built / language / name / target).resolve().exists() for target in local
        )
    text = read(built / language / "messages" / "index.html")
    form = LexborHTMLParser(text).css_first("form.tc-filter[hidden]")
    assert form.css('label[for="tc-filter"]') and form.css('[role="status"]')
    assert "{shown}" in form.attributes["data-tc-filter"]
    assert (
        built / language / "assets" / "filter.js"
    ).is_file() and "markdown=" not in text.partition("<h1")[2]


# ---- hostile text


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_text_stays_text(hostile: Catalogue, language: str) -> None:
    import markdown

    symptom = hostile.symptoms[STEM]
    article = machine_readable.article(hostile, symptom, language, BASE)
    assert "<" not in article and json.loads(article)["headline"] == HOSTILE
    root = ET.fromstring(machine_readable.feed(hostile, language, BASE))
    assert HOSTILE in [element.text for element in root.iter(f"{{{ATOM}}}title")]
    moved = redirect_pages.page(OLD, IDENT, HOSTILE, language, f'{BASE}"><script>')
    assert "<script" not in moved and visible(moved).count("alert(1)") == 2
    for text in (
        messages.messages_page(hostile, language),
        messages.exceptions_page(hostile, language),
    ):
        shown = markdown.markdown(text, extensions=["attr_list", "md_in_html"])
        assert "<script" not in shown and "<img" not in shown and "<i>" not in shown
    assert (
        HOSTILE
        in json.loads(json.dumps(machine_readable.index(hostile, BASE)))["symptoms"][0][
            "title"
        ].values()
    )
    lines = [
        line for line in machine_readable.llms(hostile, BASE).splitlines() if line.startswith("- [")
    ]
    assert len(lines) == 2 and all("\\]\\]>" in line for line in lines)
