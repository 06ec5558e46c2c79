"""The wheel and the sdist: what is in them, and that they install."""

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


def built(source: Path, into: Path) -> Path:
    """The wheel that pip makes of a folder or an sdist."""
    arguments = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", into, source]
    subprocess.run([sys.executable, "-m", "pip", *arguments], check=True)
    (path,) = into.iterdir()
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel as `pip install ./python` builds it."""
    return built(REPOSITORY / "python", tmp_path_factory.mktemp("wheel"))


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
        # Copies, since links are broken in an sdist.
        for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
            (name,) = (name for name in names if name.endswith(f"licenses/{licence}"))
            assert file.read(name) == (REPOSITORY / licence).read_bytes()
    assert "attention_scope/py.typed" in names
    assert wheel.stat().st_size < 600_000


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_the_sdist_makes_the_same_wheel(wheel, tmp_path):
    arguments = ["-m", "hatchling", "build", "--target", "sdist", "--directory", tmp_path / "sdist"]
    subprocess.run([sys.executable, *arguments], cwd=REPOSITORY / "python", check=True, capture_output=True)
    (sdist,) = (tmp_path / "sdist").iterdir()
    assert sdist.name == wheel.name.replace("-py3-none-any.whl", ".tar.gz")
    # Far from the repository, whose version and scripts it must not need.
    made = built(sdist, tmp_path / "wheel")
    assert made.name == wheel.name
    assert contents(made) == contents(wheel)


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
