"""A dossier as Markdown and as a Word document.

The document is a zip of four small XML files, so the standard library is enough: headings, paragraphs,
lists and tables are all there is to write.
"""

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from demur._files.escaping import markdown, xml

__all__ = ["Section", "markdown_text", "write_docx"]


class Section(NamedTuple):
    """A heading and what follows it: paragraphs, then a list, then a table."""

    title: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


# ---------------------------------------------------------------- Markdown


def markdown_text(title: str, sections: Iterable[Section]) -> str:
    """Return all sections as GitHub-flavoured Markdown; names from the data are text, never markup."""
    return "\n".join([f"# {markdown(title)}", *(line for one in sections for line in _lines(one)), ""])


def _lines(section: Section) -> Iterator[str]:
    yield from ("", f"## {markdown(section.title)}")
    for paragraph in section.paragraphs:
        yield from ("", markdown(paragraph))
    if section.items:
        yield from ("", *(f"- {markdown(item)}" for item in section.items))
    if section.header:
        yield from ("", _row(map(markdown, section.header)), _row(["---"] * len(section.header)))
        yield from (_row(map(markdown, row)) for row in section.rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


# ---------------------------------------------------------------- Word

_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Override PartName="/word/document.xml" ContentType=\
"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>\
<Override PartName="/word/styles.xml" ContentType=\
"application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>"""
_LINKS = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">\
<Relationship Id="rId1" Type=\
"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>\
</Relationships>"""


def _style(name: str, title: str, size: int, *, bold: bool = False, before: int = 0, level: int = -1) -> str:
    outline = f'<w:outlineLvl w:val="{level}"/>' if level >= 0 else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{title}"/><w:pPr>'
        f'<w:spacing w:before="{before}" w:after="100"/>{outline}</w:pPr>'
        f'<w:rPr>{"<w:b/>" if bold else ""}<w:sz w:val="{size}"/></w:rPr></w:style>'
    )


def _styles() -> str:
    made = [
        _style("Normal", "Normal", 21),
        _style("Title", "Title", 36, bold=True),
        _style("Heading1", "heading 1", 27, bold=True, before=320, level=0),
        _style("ListParagraph", "List Paragraph", 21),
        _style("Cell", "Cell", 18),
    ]
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<w:styles xmlns:w="{_MAIN}">{"".join(made)}</w:styles>'


def write_docx(path: str | Path, title: str, sections: Iterable[Section]) -> None:
    """Write a Word document (ECMA-376, transitional); the same sections give the same bytes."""
    body = [_paragraph(title, "Title"), *(part for one in sections for part in _parts(one))]
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<w:document xmlns:w="{_MAIN}"><w:body>{"".join(body)}'
        '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/>'
        '<w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134"/></w:sectPr>'
        "</w:body></w:document>"
    )
    files = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _LINKS.format(kind="officeDocument", target="word/document.xml"),
        "word/_rels/document.xml.rels": _LINKS.format(kind="styles", target="styles.xml"),
        "word/styles.xml": _styles(),
        "word/document.xml": document,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def _parts(section: Section) -> Iterator[str]:
    yield _paragraph(section.title, "Heading1")
    for paragraph in section.paragraphs:
        yield _paragraph(paragraph)
    for item in section.items:
        yield _paragraph(f"• {item}", "ListParagraph")
    if section.header:
        yield _table(section.header, section.rows)
        yield _paragraph("")


def _paragraph(text: str, style: str = "Normal", *, bold: bool = False) -> str:
    look = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return (
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r>{look}'
        f'<w:t xml:space="preserve">{xml(text)}</w:t></w:r></w:p>'
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    sides = ("top", "bottom", "insideH")
    borders = "".join(f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="999999"/>' for side in sides)
    grid = "".join("<w:gridCol/>" for _ in header)
    lines = [_table_row(header, bold=True), *(_table_row(row) for row in rows)]
    return (
        f'<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders>{borders}</w:tblBorders></w:tblPr>'
        f"<w:tblGrid>{grid}</w:tblGrid>{''.join(lines)}</w:tbl>"
    )


def _table_row(cells: Sequence[str], *, bold: bool = False) -> str:
    made = (f"<w:tc><w:tcPr/>{_paragraph(cell, 'Cell', bold=bold)}</w:tc>" for cell in cells)
    return f"<w:tr>{''.join(made)}</w:tr>"
