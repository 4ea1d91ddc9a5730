"""Completion scripts and the manual page: bash and zsh accept them, and they have every verb and
flag.

LOCKSTEP_PROGRAM names the program.
"""

import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
WITHIN_S = 60
# Prints the completions of a command line, one per line.
BASH = """
source {script}
COMP_WORDS=({words}) COMP_CWORD={index}
_lockstep
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def say(*arguments):
    return subprocess.run([PROGRAM, *arguments], text=True, capture_output=True, check=True,
                          timeout=WITHIN_S).stdout


def flags_and_verbs(text):
    """The verbs or flags that a help page lists."""
    sections = re.split(r"^(Verbs|Arguments|Flags):$", text, flags=re.M)
    listed = {name: re.findall(r"^  (\S.*?)(?:  |$)", body, re.M)
              for name, body in zip(sections[1::2], sections[2::2])}
    flags = {word for entry in listed.get("Flags", []) for word in re.findall(r"--?[A-Za-z][\w.-]*", entry)}
    return flags, listed.get("Verbs", [])


def help_pages(*verbs):
    """{verbs: (flags, verbs below)} of a verb and all below it, according to `help`."""
    flags, below = flags_and_verbs(say("help", *verbs))
    pages = {verbs: (flags, below)}
    for verb in below:
        pages |= help_pages(*verbs, verb)
    return pages


def missing(program):
    """Skips a test without the program; under CI that is a failure."""
    if os.environ.get("CI") == "true":
        raise AssertionError(f"{program} is missing: './dev setup test' installs it")
    return unittest.SkipTest(f"without {program}")


class CompletionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = help_pages()
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for shell in ("bash", "zsh"):
            (cls.folder / f"lockstep.{shell}").write_text(say("completion", shell))

    def bash(self, *words):
        """What bash offers for the last word after the others."""
        script = BASH.format(script=shlex.quote(str(self.folder / "lockstep.bash")),
                             words=" ".join(map(shlex.quote, words)), index=len(words) - 1)
        done = subprocess.run(["bash", "-u", "-c", script], text=True, capture_output=True, cwd=self.folder,
                              timeout=WITHIN_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout.split()

    def test_help_knows_the_verbs(self):
        verbs = self.pages[()][1]
        for verb in ("serve", "demo", "jobs", "ranks", "report", "query", "mcp", "import", "tail", "rules", "check",
                     "backup", "restore", "version", "help", "completion"):
            self.assertIn(verb, verbs)
        self.assertEqual(self.pages[("rules",)][1], ["check", "test", "backfill"])
        self.assertIn("--storage.retention.time", self.pages[("serve",)][0])

    def test_bash_completes_every_verb_and_flag(self):
        for verbs, (flags, below) in self.pages.items():
            self.assertEqual(set(self.bash("lockstep", *verbs, "-")), flags, verbs)
            if below:
                self.assertEqual(self.bash("lockstep", *verbs, ""), below, verbs)

    def test_bash_completes_what_was_begun(self):
        self.assertEqual(self.bash("lockstep", "ra"), ["ranks"])
        self.assertEqual(self.bash("lockstep", "rules", "ba"), ["backfill"])
        self.assertEqual(self.bash("lockstep", "jobs", "--js"), ["--json"])
        self.assertEqual(self.bash("lockstep", "completion", ""), ["bash", "zsh"])
        self.assertEqual(self.bash("lockstep", "help", "ver"), ["version"])
        # The value of a flag is not a verb.
        self.assertEqual(self.bash("lockstep", "query", "--url", "jobs", "--js"), ["--json"])

    def test_bash_completes_files_and_folders_where_they_are_wanted(self):
        folder = self.folder / "a folder"
        folder.mkdir(exist_ok=True)
        (self.folder / "rules.yml").touch()
        for words in (("serve", "--config", "ru"), ("import", "ru"), ("rules", "check", "ru"),
                      ("serve", "--config", "=", "ru")):
            self.assertEqual(self.bash("lockstep", *words), ["rules.yml"], words)
        self.assertEqual(" ".join(self.bash("lockstep", "serve", "--data", "")), "a folder")
        self.assertEqual(self.bash("lockstep", "query", "--time", ""), [])

    def press_tabs(self, shell, begin, **environment):
        """Lets a shell on a terminal complete a line and run it."""
        ours, theirs = pty.openpty()
        program = subprocess.Popen(shell, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                                   cwd=self.folder, env={**os.environ, "TERM": "dumb", **environment})
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        os.write(ours, begin + b"\nlockstep() { echo \"<$*>\"; }\nlockstep rul\tbackf\t--eval\t1m\n")
        said = b""
        while b"<rules backfill --eval-interval" not in said:
            if not select.select([ours], [], [], WITHIN_S)[0]:
                raise AssertionError(said)
            said += os.read(ours, 4096)

    def test_bash_takes_the_tab_key(self):
        self.press_tabs(["bash", "--norc", "--noprofile", "-i"], b"source lockstep.bash")

    def test_zsh_takes_its_script(self):
        if shutil.which("zsh") is None:
            raise missing("zsh")
        script = self.folder / "lockstep.zsh"
        subprocess.run(["zsh", "-n", str(script)], check=True, timeout=WITHIN_S)
        loaded = subprocess.run(
            ["zsh", "-f", "-c", f"autoload -Uz compinit; compinit -D; source {script}; print $_comps[lockstep]"],
            text=True, capture_output=True, check=True, timeout=WITHIN_S)
        self.assertEqual((loaded.stdout, loaded.stderr), ("_lockstep\n", ""))

    def test_zsh_takes_the_tab_key(self):
        if shutil.which("zsh") is None:
            raise missing("zsh")
        # As in an installed package: a file in a folder of $fpath.
        functions = self.folder / "functions"
        functions.mkdir()
        shutil.copy(self.folder / "lockstep.zsh", functions / "_lockstep")
        self.press_tabs(["zsh", "-f", "-i"], b"fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -D -u")

    def test_zsh_names_every_verb_and_flag(self):
        script = (self.folder / "lockstep.zsh").read_text()
        for verbs, (flags, below) in self.pages.items():
            function = "_" + "_".join(("lockstep", *verbs)).replace("-", "_")
            body = script.split(f"\n{function}() {{\n", 1)[1].split("\n}\n", 1)[0]
            self.assertEqual(set(re.findall(r"'\*(--?[A-Za-z][\w.-]*)=?-?\[", body)), flags, verbs)
            for verb in below:
                self.assertIn(f"    {verb}) {function}_{verb.replace('-', '_')} ;;", body)


class ManualPageTest(unittest.TestCase):
    def test_it_is_well_formed_and_names_every_verb_and_flag(self):
        if shutil.which("groff") is None:
            raise missing("groff")
        page = say("help", "--man")
        done = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-c", "-rLL=200n"], input=page, text=True,
                              capture_output=True, check=True, timeout=WITHIN_S)
        self.assertEqual(done.stderr, "")
        text = re.sub(r".\x08", "", done.stdout)
        for verbs, (flags, _) in help_pages().items():
            self.assertIn(" ".join(("lockstep", *verbs)), text)
            for flag in flags:
                self.assertIn(flag, text)
        for section in ("NAME", "SYNOPSIS", "OPTIONS", "COMMANDS", "ENVIRONMENT", "EXIT STATUS"):
            self.assertRegex(text, rf"(?m)^{section}$")

    def test_it_is_the_same_each_time(self):
        self.assertEqual(say("help", "--man"), say("help", "--man"))
        self.assertEqual(subprocess.run([PROGRAM, "help", "--man"], text=True, capture_output=True, check=True,
                                        env={**os.environ, "LOCKSTEP_URL": "http://elsewhere:1"}).stdout,
                         say("help", "--man"))


if __name__ == "__main__":
    unittest.main()
