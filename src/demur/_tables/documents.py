"""Documents of headed sections with paragraphs, lists and tables: Markdown, HTML, TeX, Word, plain text.

Names from the data are text in each of them, never markup.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from demur._files.escaping import markdown, tex, visible, xml
from demur._files.whole import draft_of, whole_file
from demur._tables.table import Section, wrapped

__all__ = ["DOCUMENTS", "archive", "document_text", "write_document"]

# the first day a ZIP archive can name: the same document makes the same bytes
_EPOCH = (1980, 1, 1, 0, 0, 0)


def archive(path: Path, parts: dict[str, str]) -> None:
    """Write the parts of an Office document; the same parts give the same bytes."""
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(ZipInfo(name, _EPOCH), content, ZIP_DEFLATED)


# ---------------------------------------------------------------- text, Markdown, TeX, HTML


def _text(title: str, sections: Iterable[Section]) -> Iterator[str]:
    yield from [wrapped(title)] if title else []
    for section in sections:
        head = [wrapped(section.title)] if section.title else []
        table = [section.text()] if section.header else []
        items = [wrapped(f"- {item}", indent="  ") for item in section.items]
        note = [wrapped(section.note)] if section.note else []
        yield from map(wrapped, section.paragraphs)
        yield "\n".join([*head, *items, *table, *note])


def _markdown(title: str, sections: Iterable[Section]) -> Iterator[str]:
    yield from [f"# {markdown(title)}"] if title else []
    for section in sections:
        yield from [f"## {markdown(section.title)}"] if section.title else []
        yield from map(markdown, section.paragraphs)
        yield from ["\n".join(f"- {markdown(item)}" for item in section.items)] if section.items else []
        if section.header:
            ruler = ["---:" if right else "---" for right in section.numeric()]
            rows = [[markdown(cell) for cell in row] for row in (section.header, *section.rows)]
            yield "\n".join(f"| {' | '.join(cells)} |" for cells in (rows[0], ruler, *rows[1:]))
        yield from [markdown(section.note)] if section.note else []


def _tex(title: str, sections: Iterable[Section]) -> Iterator[str]:
    yield r"% \usepackage{booktabs}"
    yield from [rf"\section*{{{tex(title)}}}"] if title else []
    for section in sections:
        yield from [rf"\subsection*{{{tex(section.title)}}}"] if section.title else []
        yield from map(tex, section.paragraphs)
        items = "\n".join(rf"\item {tex(item)}" for item in section.items)
        yield from [f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"] if items else []
        if section.header:
            places = "".join("r" if right else "l" for right in section.numeric())
            head, *rows = (" & ".join(map(tex, row)) + r" \\" for row in (section.header, *section.rows))
            lines = [rf"\begin{{tabular}}{{{places}}}", r"\toprule", head, r"\midrule", *rows]
            yield "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])
        yield from [tex(section.note)] if section.note else []


_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}th,td{padding:.2em .8em;border-bottom:1px solid #ccc;text-align:left}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}"
)


def _html(title: str, sections: Iterable[Section]) -> Iterator[str]:
    yield f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{xml(title or "demur")}</title>'
    yield f"<style>{_STYLE}</style>"
    yield from [f"<h1>{xml(title)}</h1>"] if title else []
    for section in sections:
        yield from [f"<h2>{xml(section.title)}</h2>"] if section.title else []
        yield from (f"<p>{xml(paragraph)}</p>" for paragraph in section.paragraphs)
        items = "".join(f"<li>{xml(item)}</li>" for item in section.items)
        yield from [f"<ul>{items}</ul>"] if items else []
        if section.header:
            look = [' class="n"' if right else "" for right in section.numeric()]
            head, *rows = (
                "".join(
                    f"<{tag}{one}>{xml(visible(cell))}</{tag}>" for one, cell in zip(look, row, strict=True)
                )
                for tag, row in [("th", section.header), *(("td", row) for row in section.rows)]
            )
            body = "\n".join(f"<tr>{row}</tr>" for row in rows)
            yield f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
        yield from [f"<p>{xml(section.note)}</p>"] if section.note else []


# ---------------------------------------------------------------- Word: Office Open XML, ECMA-376

_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Override PartName="/word/document.xml" ContentType=\
"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>\
<Override PartName="/word/styles.xml" ContentType=\
"application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>"""
_LINKS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">\
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


def _write_word(path: Path, title: str, sections: Iterable[Section]) -> None:
    body = [_paragraph(title, "Title")] if title else []
    body += [part for one in sections for part in _word_parts(one)]
    document = (
        f'<w:document xmlns:w="{_MAIN}"><w:body>{"".join(body)}'
        '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/>'
        '<w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134"/></w:sectPr>'
        "</w:body></w:document>"
    )
    looks = [
        _style("Normal", "Normal", 21),
        _style("Title", "Title", 36, bold=True),
        _style("Heading1", "heading 1", 27, bold=True, before=320, level=0),
        _style("ListParagraph", "List Paragraph", 21),
        _style("Cell", "Cell", 18),
    ]
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _LINKS.format(kind="officeDocument", target="word/document.xml"),
        "word/_rels/document.xml.rels": _LINKS.format(kind="styles", target="styles.xml"),
        "word/styles.xml": f'<w:styles xmlns:w="{_MAIN}">{"".join(looks)}</w:styles>',
        "word/document.xml": document,
    }
    archive(path, {name: _HEAD + content for name, content in parts.items()})


def _word_parts(section: Section) -> Iterator[str]:
    yield from [_paragraph(section.title, "Heading1")] if section.title else []
    yield from map(_paragraph, section.paragraphs)
    yield from (_paragraph(f"• {item}", "ListParagraph") for item in section.items)
    if section.header:
        sides = ("top", "bottom", "insideH")
        borders = "".join(
            f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="999999"/>' for side in sides
        )
        rows = [_word_row(section.header, bold=True), *map(_word_row, section.rows)]
        yield (
            '<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/>'
            f"<w:tblBorders>{borders}</w:tblBorders></w:tblPr>"
            f"<w:tblGrid>{'<w:gridCol/>' * len(section.header)}</w:tblGrid>{''.join(rows)}</w:tbl>"
        )
        yield _paragraph(section.note)


def _paragraph(text: str, style: str = "Normal", *, bold: bool = False) -> str:
    look = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return (
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r>{look}'
        f'<w:t xml:space="preserve">{xml(text)}</w:t></w:r></w:p>'
    )


def _word_row(cells: Sequence[str], *, bold: bool = False) -> str:
    made = (f"<w:tc><w:tcPr/>{_paragraph(cell, 'Cell', bold=bold)}</w:tc>" for cell in cells)
    return f"<w:tr>{''.join(made)}</w:tr>"


# ---------------------------------------------------------------- all of them

_TEXTS: dict[str, tuple[Callable[[str, Iterable[Section]], Iterator[str]], str]] = {
    ".txt": (_text, "\n\n"),
    ".md": (_markdown, "\n\n"),
    ".tex": (_tex, "\n\n"),
    ".html": (_html, "\n"),
}
"""Ending of a name -> what yields the paragraphs, and what stands between them."""

DOCUMENTS = (*_TEXTS, ".docx")
"""Endings of documents."""


def document_text(suffix: str, title: str, sections: Iterable[Section]) -> str:
    """Return a document as text, in the format of an ending."""
    make, between = _TEXTS[suffix]
    return between.join(make(title, sections)) + "\n"


def write_document(path: str | Path, title: str, sections: Iterable[Section]) -> None:
    """Write a document in the format its name ends in, whole or not at all."""
    suffix = Path(path).suffix.lower()
    if suffix == ".docx":
        with draft_of(path) as draft:
            _write_word(draft, title, sections)
        return
    with whole_file(path) as handle:
        handle.write(document_text(suffix, title, sections))
