"""Puts the scripts of the replay into the package: they stand beside it in the repository, inside it in an sdist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "src/attention_scope"


class ReplayHook(BuildHookInterface):
    """Copies `assets/replay` of the repository. An sdist has the copy already, as every other file of the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if (root / PACKAGE / "assets").is_dir():
            return
        package = PACKAGE if self.target_name == "sdist" else "attention_scope"
        build_data["force_include"][str(root.parent / "assets/replay")] = f"{package}/assets"
