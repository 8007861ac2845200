"""Which of PyTorch's messages are known by their words: only those come into the table."""

from __future__ import annotations

from torchclinic.find.clean import words
from torchclinic.find.origins_table import parts

#: What a template must hold: words, and among them, each once, words that are not COMMON.
NEEDED, RARE = 4, 2
#: Where PyTorch repeats the messages of other programs: of NumPy, of Python's own library, of what
#: it has taken in.
REPEATED = (
    "torch/_numpy/",
    "torch/_vendor/",
    "torch/_dynamo/polyfills/",
    "torch/package/",
    "torch/fx/experimental/unification/",
    "functorch/einops/",
    "torch/testing/_internal/",
)
#: A message that says itself where it was written.
PLACED = "INTERNAL ASSERT FAILED at"
#: The words of messages that the most programs have: counted over 9,000 messages of 90 packages and
#: Python's library. They tell nothing about whose message it is.
COMMON = frozenset(
    """
    add after all allowed already and any are argument arguments attribute available because
    been before binary both but bytes call callable called can cannot character check class
    closed code contain contains content convert could create data default defined deprecated
    dict did different directly directory does doesn duplicate either empty encoding end
    environment error exist exists expected extension failed false field file find first float
    for format found from function future get given got has have header https implemented
    import index input install installed instance instead int integer invalid its key keys
    keyword least length like line list make many match may message metadata method missing
    mode module more multiple must name named names need negative new non none not number
    object one only option other out output package parameter parameters parse pass passed
    path pattern please positive provide provided python range read received removed required
    requires return returned run same sequence set should single size specified specify start
    str stream string strings subclass support supported text than that the this time token
    too true tuple two type unable unexpected unknown unsupported url use used using valid
    value values variable version was when which while will with without write you your
    """.split()  # noqa: SIM905 a word a line would be two hundred lines
)


def tells(text: str, file: str) -> bool:
    """Is a template long enough, are there words in it that not every program prints, and are they
    its own?

    Args:
        text: of the template, with its holes.
        file: that it stands in.
    """
    if file.startswith(REPEATED) or PLACED in text:
        return False
    literals = (part for part in parts(text) if isinstance(part, str))
    spoken = [word.lower() for literal in literals for word in words(literal)]
    rare = {word for word in spoken if len(word) > 2 and not word.isdigit() and word not in COMMON}
    return len(spoken) >= NEEDED and len(rare) >= RARE
