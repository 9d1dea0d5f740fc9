"""A long command says how far it is: as a bar where a person looks, else as a line now and then."""

import io

from pinochle.cli.progress import BAR_SECONDS, FIRST_SECONDS, LINE_SECONDS, Progress, through


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_terminal_gets_a_bar_in_place_that_is_gone_at_the_end() -> None:
    out, clock = Terminal(), Clock()
    with Progress(200, out, clock) as progress:
        progress.at(10, "early")
        clock.now = FIRST_SECONDS
        progress.at(50, "6 streams")
        progress.at(60, "too soon again")
        clock.now += BAR_SECONDS
        progress.at(100, "8")
    drawn = ["[######------------------]  25%  6 streams", "[############------------]  50%  8        "]
    assert ["", *drawn, " " * 34, ""] == out.getvalue().split("\r")


def test_a_file_gets_a_line_now_and_then() -> None:
    out, clock = io.StringIO(), Clock()
    with Progress(0, out, clock) as progress:
        for second in range(25):
            clock.now = float(second)
            progress.at(second, f"{second} exports")
    assert [f"{int(LINE_SECONDS * times)} exports" for times in (1, 2)] == out.getvalue().splitlines()


def test_what_is_read_through_it_comes_out_whole() -> None:
    file = io.BytesIO(b"abc")
    with Progress(3, io.StringIO()) as progress:
        assert [1, 2, 3] == list(through(progress, file, iter([1, 2, 3]), "reading"))
