"""The results file: what it keeps through crashes, what it refuses, and the rules for output folders."""

import json
import signal
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from hermite_analytics.errors import InputError, StoreError
from hermite_analytics.validation.campaign import store as store_module
from hermite_analytics.validation.campaign.folder import OWN_FILES, open_folder, read_folder
from hermite_analytics.validation.campaign.store import (
    SCHEMA_VERSION,
    STORE_NAME,
    CellResult,
    RunRecord,
    Store,
)


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
from hermite_analytics.validation.campaign.folder import open_folder
from hermite_analytics.validation.campaign.store import CellResult
store = open_folder(Path(sys.argv[1]), code="one")
for batch in range(10**6):
    cells = [CellResult(seed=10 * batch + k, result={"error": 1.0}, seconds=0.1) for k in range(10)]
    store.save("experiment", 50, cells)
    if batch == 30:
        print("ready", flush=True)
"""


@pytest.mark.slow
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
        f"{path} has schema version 7, this version reads 1 to {SCHEMA_VERSION}; use a newer version of this "
        "library, overwrite it or use another folder"
    )


OLD_SCHEMA = """
CREATE TABLE cells (
    key TEXT PRIMARY KEY, experiment TEXT NOT NULL, size INTEGER NOT NULL, seed INTEGER NOT NULL,
    code TEXT NOT NULL, result TEXT NOT NULL, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE looks (
    claim TEXT NOT NULL, look INTEGER NOT NULL, comparison TEXT NOT NULL, PRIMARY KEY (claim, look)
) WITHOUT ROWID;
PRAGMA application_id=0x48657241;
PRAGMA user_version=1;
"""


def of_version_one(folder):
    """The file as the first version of this library wrote it."""
    path = filled(folder)
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT * FROM cells").fetchall()
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.executescript(OLD_SCHEMA)
        connection.executemany("INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    connection.close()
    return path


def test_an_older_file_is_brought_up_to_date(tmp_path):
    path = of_version_one(tmp_path)
    with open_folder(tmp_path, code="one", resume=True) as store:
        assert store.load("experiment", 50, [0, 1, 2]) == {seed: cell(seed) for seed in range(3)}
        store.save_run(RUN)
        assert store.runs() == (RUN,)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_a_reader_takes_an_older_file_as_it_is(tmp_path):
    path = of_version_one(tmp_path)
    before = path.read_bytes()
    with read_folder(tmp_path, code="one") as store:
        assert len(store.load("experiment", 50, range(9))) == 3 and store.runs() == ()
    assert path.read_bytes() == before


RUN = RunRecord(started="2025-01-02T03:04:05+00:00", seconds=1.5, environment={"Python": "3"})


def test_sessions_are_recorded(tmp_path):
    with open_folder(tmp_path, code="one") as store:
        store.save_run(RUN)
        longer = RunRecord(started=RUN.started, seconds=7.0, environment=RUN.environment)
        store.save_run(longer)
        assert store.runs() == (longer,)
    with open_folder(tmp_path, code="one", resume=True) as store:
        store.save_run(RUN)
        assert store.runs() == (longer, RUN)


def test_a_full_disk_is_one_clear_line_and_nothing_is_lost(tmp_path):
    with open_folder(tmp_path, code="one") as store:
        store.save("experiment", 50, [cell(seed) for seed in range(10)])
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StoreError) as error:
            store.save("experiment", 50, [cell(seed) for seed in range(10, 2000)])
        assert str(error.value) == f"{tmp_path / STORE_NAME} cannot be written: database or disk is full"
        assert sorted(store.load("experiment", 50, range(2000))) == list(range(10))
    with open_folder(tmp_path, code="one", resume=True) as store:
        store.save("experiment", 50, [cell(seed) for seed in range(10, 2000)])
        assert len(store.load("experiment", 50, range(2000))) == 2000


def test_one_campaign_at_a_time(tmp_path):
    with open_folder(tmp_path, code="one") as store:
        store.save("experiment", 50, [cell(0)])
        for flags in ({"resume": True}, {"overwrite": True}):
            with pytest.raises(StoreError) as error:
                open_folder(tmp_path, code="one", **flags)
            assert str(error.value) == (
                f"{tmp_path} is in use by another run; wait for its end, or use another folder"
            )
        with read_folder(tmp_path, code="one") as reader:
            assert reader.load("experiment", 50, [0]) == {0: cell(0)}
    with open_folder(tmp_path, code="one", resume=True):
        pass


READ_ONLY = """
import os, sys
from pathlib import Path
from hermite_analytics.errors import StoreError
from hermite_analytics.validation.campaign.folder import open_folder, read_folder
folder = Path(sys.argv[1])
if os.geteuid() == 0:  # the superuser may write everywhere
    os.setgid(65534)
    os.setuid(65534)
for path, flags in ((folder, {"resume": True}), (folder / "new", {})):
    try:
        open_folder(path, code="one", **flags)
    except StoreError as error:
        print(error)
with read_folder(folder, code="one") as store:
    print(len(store.load("experiment", 50, range(9))))
"""


def test_a_read_only_folder_can_be_read():
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "out"
        filled(folder)
        folder.chmod(0o555)
        Path(parent).chmod(0o755)
        command = [sys.executable, "-c", READ_ONLY, str(folder)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        folder.chmod(0o755)
    assert run.stdout.splitlines() == [
        f"{folder} cannot be written: Permission denied",
        f"{folder / 'new'} cannot be written: Permission denied",
        "3",
    ], run.stderr


def test_the_folder_of_a_run_that_was_killed_at_once_can_be_used(tmp_path):
    """Only the lock file is there."""
    (tmp_path / ".lock").touch()
    with open_folder(tmp_path, code="one") as store:
        store.save("experiment", 50, [cell(0)])


def test_nothing_to_read(tmp_path):
    with pytest.raises(InputError) as error:
        read_folder(tmp_path, code="one")
    assert str(error.value) == f"{tmp_path} holds no results; the folder of an earlier run is needed"


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
        assert left == {STORE_NAME, ".lock", "notes.txt", "report.html.bak", "figures"}


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
