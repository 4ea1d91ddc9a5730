"""Every rule of tidy.py must report the bad form and accept the good one."""

import unittest

import tidy


class TidyTest(unittest.TestCase):
    def bad(self, text, words, path="server/session.cc"):
        found = [why for _, why in tidy.check_text(path, text)]
        self.assertTrue(any(words in why for why in found), f"{text!r} gave {found}")

    def good(self, text, path="server/session.cc"):
        self.assertEqual(tidy.check_text(path, text), [], text)

    def test_bans_in_code(self):
        self.bad('throw std::runtime_error("x");', "throws")
        self.bad("std::regex r(x);", "RE2")
        self.bad("absl::Mutex mutex;", "base/mutex.h")
        self.bad("std::mutex mutex;", "base/mutex.h")
        self.bad("std::lock_guard lock(mutex);", "base/mutex.h")
        self.good("std::mutex mutex_;", "base/mutex.h")
        self.bad("using namespace std;", "name what you use")
        self.good("using namespace std::string_literals;")
        self.bad("catch (...) {}", "documents")
        self.bad("std::filesystem::path p;", "Env", "storage/db/shard.cc")
        self.good("std::filesystem::path p;", "storage/db/shard_test.cc")
        self.good("std::filesystem::path p;", "cli/send/import.cc")

    def test_bans_in_tests(self):
        self.bad("std::this_thread::sleep_for(ms);", "never for time", "base/a_test.cc")
        self.good("std::this_thread::sleep_for(ms);", "cli/send/import.cc")
        self.bad("std::chrono::system_clock::now();", "wall clock", "base/a_test.cc")
        self.bad("TEST(A, DISABLED_B) {}", "switched off", "base/a_test.cc")
        self.bad("GTEST_SKIP();", "switched off", "base/a_test.cc")

    def test_comments_and_strings_are_not_code(self):
        self.good("// We never throw here.\n/* std::regex\n throw */ int x;")
        self.good('auto s = "throw"; char c = \'"\'; auto t = "std::regex";')
        self.good('auto s = R"(throw " std::regex)"; int x = 1\'000;')
        self.bad('auto s = R"x(a)x"; throw 1;', "throws")

    def test_bans_in_text(self):
        self.bad("// TO" "DO: more", "finish it")
        self.bad("x = 1  # FIX" "ME", "finish it", "tools/a.py")
        self.bad("see /wo" "rk/main/x", "one machine", "README.md")
        self.bad('open("/ho' 'me/someone/x")', "one machine", "tools/a.py")
        self.good("mount /proc, write /dev/null, look in /usr/bin", "README.md")
        self.good("https://example.org/tmp/it/is", "README.md")
        self.bad("<<<<<<< HEAD\n", "conflict", "docs/a.md")


if __name__ == "__main__":
    unittest.main()
