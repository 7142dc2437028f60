"""The three staircases of a target side by side, as the library draws them in a notebook."""

from __future__ import annotations

from pathlib import Path

import hermite_analytics as ha


def write(folder: Path | None = None) -> Path:
    """Write the picture beside this script, or into another folder."""
    script = Path(__file__).resolve()
    out = (folder or script.parent) / f"{script.stem}.svg"
    out.write_text(ha.analyze("z1**2 + sign(z1*z2*z3)").ladder_svg() + "\n", encoding="utf-8")
    return out


if __name__ == "__main__":
    write()
