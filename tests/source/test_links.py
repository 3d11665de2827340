"""Symbolic links: followed inside the repository, refused everywhere else."""

import pytest

from tests.source.desk import Desk, codes, key, serving


def test_a_link_to_a_file_of_the_repository_is_read(desk: Desk) -> None:
    desk.write({"shared/a.yaml": serving("a"), "specs/b.yaml": serving("b")})
    desk.link("specs/team/a.yaml", "../../shared/a.yaml")
    source = desk.read()
    assert (set(source.specs), source.problems) == ({key("a"), key("b")}, ())
    assert source.specs.file(key("a")) == "specs/team/a.yaml"


def test_a_link_to_a_file_that_is_read_anyway_is_no_second_object(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a")})
    desk.link("specs/b.yaml", "a.yaml")
    desk.link("specs/c.yaml", "./b.yaml")
    source = desk.read()
    assert (set(source.specs), source.problems) == ({key("a")}, ())


@pytest.mark.parametrize(
    "target",
    [
        "/etc/hostname",
        "../../outside.yaml",
        "..",
        "../nowhere.yaml",
        "../specs",
        "",
        "a.yaml/../../../x",
        "\0",
        "x" * 5000,
    ],
)
def test_a_link_that_leads_elsewhere_is_refused_and_the_rest_goes_on(desk: Desk, target: str) -> None:
    desk.write({"specs/a.yaml": serving("a"), "outside.yaml": serving("outside")})
    desk.link("specs/link.yaml", target)
    source = desk.read()
    assert (set(source.specs), codes(source)) == ({key("a")}, [("specs/link.yaml", "OUT_OF_BOUNDS")])
    assert source.unreadable


def test_links_in_a_circle_end_in_a_refusal_of_each(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a")})
    desk.link("specs/x.yaml", "y.yaml")
    desk.link("specs/y.yaml", "x.yaml")
    assert codes(desk.read()) == [("specs/x.yaml", "OUT_OF_BOUNDS"), ("specs/y.yaml", "OUT_OF_BOUNDS")]


def test_a_link_through_a_linked_folder_is_refused(desk: Desk) -> None:
    desk.write({"shared/a.yaml": serving("a"), "specs/b.yaml": serving("b")})
    desk.link("specs/folder", "../shared")
    desk.link("specs/a.yaml", "folder/a.yaml")
    source = desk.read()
    assert (set(source.specs), codes(source)) == ({key("b")}, [("specs/a.yaml", "OUT_OF_BOUNDS")])


def test_links_outside_the_configured_folders_block_nobody(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a")})
    desk.link("other/secret.yaml", "/etc/passwd")
    source = desk.read()
    assert (set(source.specs), source.problems) == ({key("a")}, ())
