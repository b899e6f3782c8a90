"""For MkDocs (mkdocs.yml): the pages that lie beside docs/, and links between them and it.

On disk, and where a forge shows them, ``README.md`` links to ``docs/models.md`` and back. In the site all pages lie in
one folder. A link to a file that is no page, such as an example, becomes its name.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any, Final

from mkdocs.structure.files import File, Files

BESIDE: Final = {"README.md": "index.md"} | {
    name: name for name in ("GLOSSARY.md", "CHANGELOG.md", "CONTRIBUTING.md", "THIRD_PARTY.md")
}
"""Where a page lies in the repository, and in the site."""
LINK: Final = re.compile(r"\[([^\]]*)\]\(([^)#\s:]+)(#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """The pages of docs/ and those beside it."""
    for name, page in BESIDE.items():
        text = (Path(config.config_file_path).parent / name).read_text("utf-8")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """A page whose links are those of the site."""
    root, here = Path(config.config_file_path).parent, page.file.src_uri
    source = next((name for name, told in BESIDE.items() if told == here), f"docs/{here}")

    def of_the_site(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[2]))
        told = BESIDE.get(target, target.removeprefix("docs/"))
        if files.get_file_from_path(told) is not None and (target in BESIDE or target.startswith("docs/")):
            return f"[{found[1]}]({os.path.relpath(told, posixpath.dirname(here) or '.')}{found[3] or ''})"
        if not (root / target).exists():
            return found[0]
        return f"`{target}`" if found[1] == target else f"{found[1]} (`{target}`)"

    return LINK.sub(of_the_site, markdown)
