"""The results file: what it keeps through crashes, what it refuses, and the rules for output folders."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import warnings

import pytest

from hermite_analytics.errors import InputError, StoreError
from hermite_analytics.validation import store as store_module
from hermite_analytics.validation.store import OWN_FILES, STORE_NAME, CellResult, Store, open_folder


def cell(seed, value=1.0):
    return CellResult(seed=seed, result={"error": value, "curve": [1.0, None]}, seconds=0.5)


def filled(folder, code="one", count=3):
    with open_folder(folder, code=code) as store:
        store.save("experiment", 50, [cell(seed) for seed in range(count)])
    return folder / STORE_NAME


def test_cells_come_back_as_they_were(tmp_path):
    filled(tmp_path)
    with open_folder(tmp_path, code="one", resume=True) as store:
        assert store.load("experiment", 50, [0, 2, 9]) == {0: cell(0), 2: cell(2)}


def test_a_cell_is_keyed_by_experiment_size_seed_and_code(tmp_path):
    filled(tmp_path)
    with open_folder(tmp_path, code="one", resume=True) as store:
        assert not store.load("other", 50, [0]) and not store.load("experiment", 51, [0])
    with open_folder(tmp_path, code="two", resume=True) as store:
        assert not store.load("experiment", 50, [0])


def test_the_first_result_of_a_cell_stays(tmp_path):
    filled(tmp_path)
    with open_folder(tmp_path, code="one", resume=True) as store:
        store.save("experiment", 50, [cell(1, value=7.0), cell(3)])
        assert store.load("experiment", 50, [1, 3]) == {1: cell(1), 3: cell(3)}


def test_thousands_of_seeds_in_one_question(tmp_path):
    with open_folder(tmp_path, code="one") as store:
        store.save("experiment", 50, [cell(seed) for seed in range(1300)])
        assert len(store.load("experiment", 50, list(range(2000)))) == 1300


def test_looks_are_kept_and_replaced(tmp_path):
    with open_folder(tmp_path, code="one") as store:
        store.save_look("a/b", 0, {"status": "inconclusive"})
        store.save_look("a/b", 0, {"status": "passed"})
    rows = sqlite3.connect(tmp_path / STORE_NAME).execute("SELECT * FROM looks").fetchall()
    assert [(name, look, json.loads(text)) for name, look, text in rows] == [("a/b", 0, {"status": "passed"})]


def test_nan_is_never_written(tmp_path):
    with open_folder(tmp_path, code="one") as store:
        with pytest.raises(ValueError, match="not JSON compliant"):
            store.save("experiment", 50, [cell(0, value=float("nan"))])
        assert not store.load("experiment", 50, [0])


def test_others_read_while_it_is_written(tmp_path):
    with open_folder(tmp_path, code="one") as store:
        store.save("experiment", 50, [cell(0)])
        with Store(tmp_path / STORE_NAME, code="one") as reader:
            assert reader.load("experiment", 50, [0]) == {0: cell(0)}
            store.save("experiment", 50, [cell(1)])
            assert reader.load("experiment", 50, [1]) == {1: cell(1)}


KILLED = """
import os, signal, sys
from pathlib import Path
from hermite_analytics.validation.store import CellResult, open_folder
store = open_folder(Path(sys.argv[1]), code="one")
for batch in range(10**6):
    cells = [CellResult(seed=10 * batch + k, result={"error": 1.0}, seconds=0.1) for k in range(10)]
    store.save("experiment", 50, cells)
    if batch == 30:
        print("ready", flush=True)
"""


def test_a_killed_writer_loses_at_most_the_batch_in_flight(tmp_path):
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
    with open_folder(tmp_path, code="one", resume=True) as store:
        seeds = sorted(store.load("experiment", 50, range(100_000)))
    assert len(seeds) >= 310 and len(seeds) % 10 == 0 and seeds == list(range(len(seeds)))


def damage_header(path):
    path.write_bytes(b"x" * 100 + path.read_bytes()[100:])


def damage_pages(path):
    data = path.read_bytes()
    path.write_bytes(data[:1000] + b"\xff" * (len(data) - 1000))


def damage_end(path):
    path.write_bytes(path.read_bytes()[:5000])


def damage_cell(path):
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE cells SET result = '{' WHERE seed = 1")


@pytest.mark.parametrize("damage", [damage_pages, damage_end, damage_cell])
def test_a_damaged_file_is_one_clear_line(tmp_path, damage):
    path = filled(tmp_path, count=300)
    damage(path)

    def use():
        with open_folder(tmp_path, code="one", resume=True) as store:
            store.load("experiment", 50, range(300))

    with pytest.raises(StoreError) as error:
        use()
    text = str(error.value)
    assert text.startswith(f"{path} is damaged (") and "\n" not in text
    assert text.endswith("); overwrite it or use another folder")
    with open_folder(tmp_path, code="one", overwrite=True) as store:
        assert not store.load("experiment", 50, range(300))


def test_another_schema_version(tmp_path):
    path = filled(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(StoreError) as error:
        open_folder(tmp_path, code="one", resume=True)
    assert str(error.value) == (
        f"{path} has schema version 7, this version reads 1; overwrite it or use another folder"
    )


class TestFolderRules:
    def refused(self, folder, **flags):
        with pytest.raises(InputError) as error:
            open_folder(folder, code="one", **flags)
        return str(error.value)

    @pytest.mark.parametrize("flags", [{}, {"resume": True}, {"overwrite": True}])
    def test_new_and_empty_folders_start(self, tmp_path, flags):
        (tmp_path / "empty").mkdir()
        for folder in (tmp_path / "empty", tmp_path / "new" / "deep"):
            with open_folder(folder, code="one", **flags):
                assert (folder / STORE_NAME).is_file()

    def test_ours_needs_a_flag(self, tmp_path):
        filled(tmp_path)
        assert self.refused(tmp_path) == (
            f"{tmp_path} holds earlier results; resume them or overwrite them (--resume, --overwrite)"
        )

    def test_a_store_that_was_just_begun_is_ours(self, tmp_path):
        (tmp_path / STORE_NAME).touch()
        assert "holds earlier results" in self.refused(tmp_path)
        with open_folder(tmp_path, code="one", resume=True) as store:
            store.save("experiment", 50, [cell(0)])

    def test_flags_exclude_each_other(self, tmp_path):
        assert self.refused(tmp_path, resume=True, overwrite=True) == (
            "resume and overwrite exclude each other; give one of them"
        )

    @pytest.mark.parametrize("flags", [{}, {"resume": True}, {"overwrite": True}])
    def test_foreign_folders_are_refused_untouched(self, tmp_path, flags):
        (tmp_path / "report.html").write_text("mine")
        assert self.refused(tmp_path, **flags) == (
            f"{tmp_path} holds other files; a new or empty folder, or one of ours, is needed"
        )
        assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]

    @pytest.mark.parametrize("flags", [{"resume": True}, {"overwrite": True}])
    def test_foreign_files_of_our_name_are_refused_untouched(self, tmp_path, flags):
        path = tmp_path / STORE_NAME
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE mine (x)")
        connection.close()
        before = path.read_bytes()
        message = f"{path} is not a results file of this library; use a new or empty folder"
        assert self.refused(tmp_path, **flags) == message
        assert path.read_bytes() == before
        damage_header(path)
        assert self.refused(tmp_path, **flags) == message

    def test_a_file_is_no_folder(self, tmp_path):
        (tmp_path / "file").write_text("")
        assert self.refused(tmp_path / "file") == (
            f"{tmp_path / 'file'} is a file; the name of a new or empty folder is needed"
        )

    def test_overwrite_deletes_our_files_only(self, tmp_path):
        filled(tmp_path)
        for name in (*OWN_FILES[1:], "notes.txt", "report.html.bak"):
            (tmp_path / name).write_text("x")
        (tmp_path / "figures").mkdir()
        with open_folder(tmp_path, code="one", overwrite=True) as store:
            assert not store.load("experiment", 50, [0, 1, 2])
        left = {path.name for path in tmp_path.iterdir()}
        assert left == {STORE_NAME, "notes.txt", "report.html.bak", "figures"}

    @pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
    def test_a_folder_that_cannot_be_written(self, tmp_path):
        tmp_path.chmod(0o500)
        with pytest.raises(StoreError, match="cannot be written: Permission denied"):
            open_folder(tmp_path / "new", code="one")


def test_a_folder_under_a_file_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises((StoreError, InputError)) as error:
        open_folder(tmp_path / "file" / "folder", code="one")
    assert "\n" not in str(error.value)


def test_a_network_file_system_gets_the_rollback_journal(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "_on_network", lambda path: True)
    with pytest.warns(UserWarning, match="is on a network file system: the results file uses the rollback"):
        store = open_folder(tmp_path, code="one")
    with store:
        store.save("experiment", 50, [cell(0)])
        assert not (tmp_path / f"{STORE_NAME}-wal").exists()
    monkeypatch.undo()
    with warnings.catch_warnings(), open_folder(tmp_path, code="one", resume=True) as store:
        assert store.load("experiment", 50, [0]) == {0: cell(0)}
