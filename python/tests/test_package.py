"""The wheel: what is in it, and that it installs."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
import tomllib

import attention_scope
from conftest import REPOSITORY


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel as `pip install ./python` builds it."""
    into = tmp_path_factory.mktemp("wheel")
    arguments = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", into]
    subprocess.run([sys.executable, *arguments, REPOSITORY / "python"], check=True)
    (path,) = into.iterdir()
    return path


def test_the_version_is_that_of_the_workspace(wheel):
    with (REPOSITORY / "Cargo.toml").open("rb") as file:
        version = tomllib.load(file)["workspace"]["package"]["version"]
    assert wheel.name == f"attention_scope-{version}-py3-none-any.whl"
    assert attention_scope.__version__ == version


def test_the_wheel_has_the_replay_the_types_and_the_licences(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        for replay in (REPOSITORY / "assets/replay").iterdir():
            assert file.read(f"attention_scope/assets/{replay.name}") == replay.read_bytes()
    assert "attention_scope/py.typed" in names
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert any(name.endswith(f"licenses/{licence}") for name in names), licence
    assert wheel.stat().st_size < 600_000


def test_the_wheel_installs_in_a_fresh_environment(wheel, tmp_path):
    venv.create(tmp_path / "fresh", with_pip=True)
    # NumPy and safetensors are those of this environment, so that the test needs no network.
    place = Path(
        sysconfig.get_path("purelib", vars={"base": str(tmp_path / "fresh"), "platbase": str(tmp_path / "fresh")})
    )
    (place / "needed.pth").write_text(sysconfig.get_path("purelib"))
    python = tmp_path / "fresh" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    plain = {"PATH": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", wheel], check=True, env=plain)
    example = REPOSITORY / "assets/examples/je-suis-etudiant.safetensors"
    script = f"""
from attention_scope import Trace
trace = Trace.load({str(example)!r})
trace.save({str(tmp_path / "page.html")!r})
print(Trace.load({str(tmp_path / "page.html")!r}))
"""
    done = subprocess.run([python, "-c", script], check=True, env=plain, capture_output=True, text=True)
    assert done.stdout.startswith("<Trace of marian: ")
