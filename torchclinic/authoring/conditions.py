"""Which parts of a page's conditions nothing meets: a row's `a or b` of which no text that we have
says `b` may be wrong in that half without anybody seeing it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from ..content import condition
from ..content.evidence import Evidence
from ..content.symptom import Symptom
from ..find.answer import CauseEntry, Index
from ..find.condition import Tree
from ..find.lookup import lookup


def unmet(index: Index, symptom: Symptom, evidence: list[Evidence]) -> Iterator[str]:
    """Parts of conditions that hold for no recorded break and for no sample, a line each."""
    texts = list(_texts(symptom, evidence))
    causes = symptom.snippet.facts.get("causes") or {}
    rows = {str(row): fields or {} for row, fields in causes.items()}
    for cause in symptom.snippet.causes:
        for field in ("if", "likely"):
            for part, tree in _parts(rows.get(cause.row, {}).get(field, "")):
                if not any(_meets(index, symptom.stem, tree, text) for text in texts):
                    yield f"row `{cause.row}`: no recorded break and no sample says `{part}`"


def _texts(symptom: Symptom, evidence: list[Evidence]) -> Iterator[str]:
    snippet = symptom.snippet
    yield from (wording.sample for wording in snippet.wordings if wording.sample)
    yield from (cause.sample for cause in snippet.causes if cause.sample)
    for record in evidence:
        yield from filter(None, (record.printed(snippet, of) for of in snippet.cases.values()))


def _meets(index: Index, stem: str, tree: Tree, text: str) -> bool:
    """Would a row with this condition alone be a text's?"""
    row: CauseEntry = {"row": "part", "title": {}, "if": tree}
    entry = index["symptoms"][stem].copy()
    entry["causes"] = [row]
    entry.pop("often", None)  # it names rows of the whole table
    table = index.copy()
    table["symptoms"] = {**index["symptoms"], stem: entry}
    hits = lookup(table, text)["hits"]
    return any(hit["symptom"] == stem and hit["cause"] is not None for hit in hits)


def _parts(source: str) -> Iterator[tuple[str, Tree]]:
    """Each of several parts of which one suffices, as written; and the whole condition with that
    part in place of all."""
    if not source:
        return
    whole = ast.parse(source.strip(), mode="eval").body
    for number, node in enumerate(ast.walk(whole)):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            for choice in node.values:
                yield ast.unparse(choice), condition.parse(_with(whole, number, choice))


def _with(whole: ast.expr, number: int, choice: ast.expr) -> str:
    """The source of a condition with another expression in place of its so-and-so-manieth."""
    tree = ast.Expression(copy.deepcopy(whole))
    old = [*ast.walk(tree.body)][number]

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return choice if node is old else self.generic_visit(node)

    return ast.unparse(Replace().visit(tree))
