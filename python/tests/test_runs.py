"""Starting and loading single runs."""

import json

import pytest

import warpvp


def test_a_run_is_started_and_loaded(run):
    assert run.exit_code == 0 and run.verified
    assert run.result == json.loads((run.folder / "result.json").read_text())
    assert run["seed"] == 3
    assert run["config.workload.params.count"] == 4096
    assert isinstance(run["simulation.cycles"], int)


def test_keys_are_those_of_tables(run):
    kernel = run.result["kernels"][0]
    assert run["kernels.0.end_us"] == kernel["end_us"]
    assert run[f"kernels[name={kernel['name']}].end_us"] == kernel["end_us"]
    for key in ("simulation.no_such", "kernels.7.name", "kernels[name=none].name", "seed.x"):
        with pytest.raises(KeyError):
            run[key]
        assert run.get(key, 5) == 5


def test_frames(run):
    stats = run.stats()
    assert stats["simulation.cycles"] == run["simulation.cycles"]
    kernels = run.kernels()
    assert list(kernels["name"]) == [k["name"] for k in run.result["kernels"]]
    assert kernels["ctas"].dtype.kind == "i"
    assert kernels.loc[0, "grid"] == tuple(run.result["kernels"][0]["grid"])
    assert kernels.loc[0, "stalls.fetch"] == run.result["kernels"][0]["stalls"]["fetch"]


def test_another_run_file_and_seed_give_the_same_as_the_command_line(run, tmp_path):
    same = warpvp.run({"platform": "small", "workload": {"app": "vector_add", "params": {"count": 4096}}}, seed=3,
                      out=tmp_path)
    assert same["simulation"] == run["simulation"]


def test_errors_are_warpvps_own_lines(tmp_path):
    with pytest.raises(warpvp.WarpvpError) as refused:
        warpvp.run("vector_add", platform="small", set={"workload.params.cuont": 1}, out=tmp_path)
    assert refused.value.exit_code == 2
    assert "'cuont'" in str(refused.value) and "count" in str(refused.value)
    assert not str(refused.value).startswith("warpvp:") and "\n" not in str(refused.value)
    with pytest.raises(warpvp.WarpvpError) as faulted:
        warpvp.run("vector_add", platform="small", set={"limits.cycles": 100}, out=tmp_path)
    assert faulted.value.exit_code == 3
    assert faulted.value.folder == tmp_path
    assert warpvp.load_run(tmp_path).exit_code == 3, "what is known is there"


def test_a_program_that_is_not_there(tmp_path):
    with pytest.raises(warpvp.WarpvpError, match="cannot start .*none"):
        warpvp.run("vector_add", out=tmp_path, program=tmp_path / "none")


def test_folders_without_results(tmp_path):
    with pytest.raises(warpvp.WarpvpError, match="cannot read .*result.json"):
        warpvp.load_run(tmp_path)
    for wrong in ("{", "[]", "{}"):
        (tmp_path / "result.json").write_text(wrong)
        with pytest.raises(warpvp.WarpvpError, match="no JSON|no result"):
            warpvp.load_run(tmp_path)
    with pytest.raises(warpvp.WarpvpError, match="results.db does not exist"):
        warpvp.load_experiment(tmp_path)
    (tmp_path / "results.db").write_text("no database at all, but long enough to be looked at as one" * 20)
    with pytest.raises(warpvp.WarpvpError, match="no database"):
        warpvp.load_experiment(tmp_path)


def test_a_result_that_was_changed_is_refused(run, tmp_path):
    text = (run.folder / "result.json").read_bytes()
    copy = tmp_path / "result.json"
    copy.write_bytes(text)
    assert warpvp.load_run(tmp_path).result == run.result
    for at in sorted({0, len(text) - 1, *range(3, len(text), len(text) // 7), text.index(b'"checksum": "') + 20}):
        other = b"7" if text[at:at + 1].isdigit() and text[at:at + 1] != b"7" else b" " if text[at:at + 1] != b" " else b"\t"
        copy.write_bytes(text[:at] + other + text[at + 1:])
        with pytest.raises(warpvp.WarpvpError, match="no JSON|checksum does not hold|no result of warpvp"):
            warpvp.load_run(tmp_path)
    cycles = b'"cycles": %d' % run["simulation.cycles"]
    assert cycles in text
    copy.write_bytes(text.replace(cycles, b'"cycles": 1', 1))
    with pytest.raises(warpvp.WarpvpError, match="result.json was changed since it was written") as refused:
        warpvp.load_run(tmp_path)
    assert refused.value.folder == tmp_path and "\n" not in str(refused.value)
    assert warpvp.load_run(tmp_path, check=False).exit_code == 0
    # Written anew with the same values, the numbers may be others by their digits.
    copy.write_text(json.dumps(run.result))
    with pytest.raises(warpvp.WarpvpError, match="checksum does not hold"):
        warpvp.load_run(tmp_path)


def test_a_result_without_a_checksum_is_said_to_have_none(run, tmp_path):
    result = json.loads((run.folder / "result.json").read_text())
    del result["provenance"]["checksum"]
    (tmp_path / "result.json").write_text(json.dumps(result, indent=2))
    with pytest.warns(UserWarning, match="has no checksum"):
        assert warpvp.load_run(tmp_path).exit_code == 0


def test_intervals(tmp_path):
    (tmp_path / "result.json").write_text('{"exit_code": 0}')
    run = warpvp.load_run(tmp_path, check=False)
    with pytest.raises(warpvp.WarpvpError, match="without interval statistics"):
        run.intervals()
    (tmp_path / "intervals.csv").write_text("time_us,cycle,sm.issued\n0.5,600,10\n1,1200,32\n")
    frame = run.intervals()
    assert list(frame.columns) == ["time_us", "cycle", "sm.issued"]
    assert frame["sm.issued"].sum() == 42
    assert frame["time_us"].iloc[-1] == 1
    (tmp_path / "intervals.csv").write_text("cycle,sm.issued\n600,10\n")
    with pytest.raises(warpvp.WarpvpError, match="no column time_us"):
        run.intervals()
