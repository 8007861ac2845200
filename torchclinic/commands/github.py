"""`torchclinic github`: answers in GitHub's own places, from within a workflow.

`log` looks up the logs of a failed job: the answer into the job's summary, an annotation at the
reader's own line. `issue` answers the text of a new issue: Markdown that a workflow may post.
Both set the step's outputs `status`, `symptom`, `cause` and `answer`. GITHUB_STEP_SUMMARY,
GITHUB_OUTPUT, GITHUB_WORKSPACE and GITHUB_EVENT_PATH are as the runner sets them.

Exit status: 0, whether something was found or not; 2 something could not be read or written.
"""

from __future__ import annotations

import argparse
import json
import os
import uuid
from pathlib import Path

from ..content import words
from ..content.problem import BadInput
from ..find import lookup
from ..find.answer import Answer
from . import frames, knowledge, markdown, paste, terminal
from .knowledge import Knowledge
from .options import Subcommands, add_language

#: What the answer to an issue begins with: nobody should take it for a person's.
HEAD = {
    "en": "*An automatic answer, from the text above.*",
    "zh": "*根据上面的文本自动给出的回答。*",
}


def add(commands: Subcommands) -> None:
    command = commands.add_parser(
        "github", help="answer in a workflow of GitHub: a failed job's log, or a new issue"
    )
    command.add_argument("mode", choices=("log", "issue"))
    command.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="logs, or a text; an issue is taken from the workflow's event if left out",
    )
    add_language(command)
    command.set_defaults(run=run_github)


def run_github(options: argparse.Namespace) -> int:
    known = knowledge.load()
    if options.mode == "issue":
        made = paste.read(options.files[0]) if options.files else paste.unpack(_issue())
        answer, _ = _answer(known, made)
        text = markdown.render(known, answer, options.lang)
        text = f"{HEAD[options.lang]}\n\n{text}\n" if text else ""
        _outputs(answer, text)
        print(text, end="")
        return 0
    if not options.files:
        raise BadInput("give the job's log: `torchclinic github log train.log`")
    for file in options.files:
        made = paste.read(file)
        answer, where = _answer(known, made)
        text = markdown.render(known, answer, options.lang)
        _outputs(answer, text)
        if text:
            _append("GITHUB_STEP_SUMMARY", f"{text}\n\n")
            print(annotation(known, answer, where, options.lang))
    return 0


def _answer(known: Knowledge, made: paste.Paste) -> tuple[Answer, list[str]]:
    """The answer, its lines counted as in what was read; file and line of the reader's own code
    from which the message comes, [] where the text names none."""
    answer = known.look_up(made.text, False)
    place = frames.where(made.text, _line(answer) - 1)[0] if _line(answer) else None
    return made.place(answer), [place.file, place.line] if place else []


def _line(answer: Answer) -> int:
    """Of the message that was found; 0 where none was."""
    if answer["status"] == "origin":
        return answer["origin"]["line"]
    return answer["hits"][0]["line"] if answer["hits"] else 0


def _issue() -> str:
    """Title and text of the issue that started this workflow."""
    try:
        event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
        issue = event["issue"]
        return f"{issue['title']}\n{issue['body'] or ''}"
    except (KeyError, TypeError, OSError, ValueError) as error:
        raise BadInput(
            f"this workflow was started by no issue ({type(error).__name__}): run it on `issues`, "
            "or give a file"
        ) from None


def annotation(known: Knowledge, answer: Answer, where: list[str], language: str) -> str:
    """A line that the runner makes an annotation of; at a file of the checkout, where one of its
    lines is the last of the reader's own.

    Args:
        where: file and line of that, or [].
    """
    if answer["status"] == "origin":
        says = terminal.origin_sentence(answer["origin"]["places"][0], language)
    else:
        hit = answer["hits"][0]
        says = lookup.diagnose(known.index, hit, language) or hit["title"][language]
        says = (
            words.of(language, "below")["likely"].format(what=says) * (answer["status"] == "likely")
            or says
        )
        says += f" {terminal.typed('fix', known.symptoms[hit['symptom']]['id'])}"
    file = _in_checkout(where[0]) if where else ""
    place = f"file={_property(file)},line={where[1]}," if file else ""
    return f"::error {place}title=Torch Clinic::{_data(terminal.printable(says))}"


def _in_checkout(file: str) -> str:
    """The path below the workspace; "" where it lies elsewhere, or is no file there."""
    root = Path(os.environ.get("GITHUB_WORKSPACE") or ".").resolve()
    path = Path(root, file).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) and path.is_file() else ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _outputs(answer: Answer, text: str) -> None:
    hit = answer["hits"][0] if answer["hits"] else None
    cause = hit["cause"] if hit else None
    values = {
        "status": answer["status"],
        "symptom": f"{hit['topic']}/{hit['symptom']}" if hit else "",
        "cause": cause["row"] if cause else "",
        "answer": text,
    }
    mark = uuid.uuid4().hex  # no text can hold what ends it
    _append(
        "GITHUB_OUTPUT",
        "".join(f"{name}<<{mark}\n{value}\n{mark}\n" for name, value in values.items()),
    )


def _append(variable: str, text: str) -> None:
    if name := os.environ.get(variable):
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(text)
