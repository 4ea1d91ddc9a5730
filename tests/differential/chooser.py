"""Random choices for all parts of the grammar."""

import re

import answers


class Chooser:
    """Makes choices with a seeded `random`. `lacking` names the parts of the language to avoid."""

    def __init__(self, random, lacking):
        self.random = random
        self.lacking = lacking

    def has(self, *names):
        return [name for name in names if name not in self.lacking]

    def one(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def weighted(self, *choices):
        """Picks one of (weight, function, arguments...) and returns its result."""
        chosen = self.random.choices(choices, [choice[0] for choice in choices])[0]
        return chosen[1](*chosen[2:])

    def exact(self, make, *arguments):
        """A result of `make` without rounding errors of its own, for values that become labels."""
        for _ in range(20):
            made = make(*arguments)
            if not answers.INEXACT.search(str(made)) and not re.search(r"\b(sum|avg)", str(made)):
                return made
        return self.selector("counter")
