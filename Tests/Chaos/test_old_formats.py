# SPDX-License-Identifier: Apache-2.0
"""What is half done is told from what is done, and from what was not begun."""

import sqlite3

import pytest

from old_formats import REPLICA_1, Shape

STEP = "ALTER TABLE replica ADD COLUMN seen_epoch INTEGER"
OTHER_STEP = "ALTER TABLE outbox ADD COLUMN highest INTEGER"
DONE = "PRAGMA user_version = 2"


@pytest.mark.parametrize(
    "statements, is_well",
    [
        ([], True),
        ([STEP, OTHER_STEP, DONE], True),
        ([STEP], False),
        ([STEP, OTHER_STEP], False),
        ([STEP, DONE], False),
        ([DONE], False),
        (["DELETE FROM record"], False),
        ([STEP, OTHER_STEP, DONE, "UPDATE record SET body = x''"], False),
    ],
)
def test_a_file_is_of_one_format_or_the_other_with_all_its_rows(tmp_path, statements, is_well):
    path = tmp_path / "replica.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(REPLICA_1 + "PRAGMA user_version = 1;")
    connection.execute("INSERT INTO record VALUES (2, x'01', x'0102')")
    connection.commit()
    columns = [("replica", "seen_epoch"), ("outbox", "highest")]
    shape = Shape(path, {"record": "body"}, columns)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    assert (shape.complaint(path) is None) == is_well
