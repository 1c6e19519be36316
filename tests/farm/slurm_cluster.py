"""A Slurm of one node, with its own configuration in a folder: munged, slurmctld and slurmd of this user."""

import getpass
import os
import pathlib
import shutil
import socket
import subprocess
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
SBIN = os.pathsep.join(["/usr/sbin", "/sbin", os.environ.get("PATH", "")])


def missing():
    """The programs that are not installed."""
    programs = [d for d in DAEMONS if not shutil.which(d, path=SBIN)]
    return programs + [c for c in ("sbatch", "squeue", "scancel") if not shutil.which(c)]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class SlurmCluster:
    """`environment` is what the commands of this Slurm, and programs that call them, need."""

    def __init__(self, folder, cpus=2):
        self.folder = pathlib.Path(folder)
        self.daemons = []
        self.folder.chmod(0o755)
        user = getpass.getuser()
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir(mode=0o755)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.munge_socket = self.folder / "munge" / "socket"
        host = socket.gethostname().split(".")[0]
        self.config = self.folder / "slurm.conf"
        self.config.write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={self.munge_socket}
CredType=cred/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
""", encoding="utf-8")
        # No control groups: they need more rights than a test has.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n", encoding="utf-8")
        self.environment = dict(os.environ, SLURM_CONF=str(self.config))
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def run(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60, check=False)

    def start(self):
        munge = self.folder / "munge"
        self.daemon("munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                    f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.until(self.munge_socket.exists, "munged makes its socket")
        self.daemon("slurmctld", "-D", "-f", str(self.config))
        self.until(lambda: self.run("squeue").returncode == 0, "slurmctld answers")
        self.daemon("slurmd", "-D", "-f", str(self.config))
        self.until(lambda: "idle" in self.run("sinfo", "-h", "-o", "%t").stdout, "the node is idle")

    def daemon(self, program, *words):
        with open(self.folder / f"{program}.out", "w", encoding="utf-8") as out:
            self.daemons.append(subprocess.Popen([shutil.which(program, path=SBIN), *words], stdout=out, stderr=out,
                                                 env=self.environment, start_new_session=True))

    def until(self, condition, what):
        for _ in range(600):
            if condition():
                return
            dead = [d.args[0] for d in self.daemons if d.poll() is not None]
            if dead:
                raise RuntimeError(f"{dead[0]} ended before {what}:\n{self.logs()}")
            time.sleep(0.1)
        raise RuntimeError(f"in vain waited until {what}:\n{self.logs()}")

    def logs(self):
        files = sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out"), self.folder / "munge" / "log"])
        return "\n".join(f"--- {f.name}\n{f.read_text(errors='replace')[-2000:]}" for f in files if f.is_file())

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
