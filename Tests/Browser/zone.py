# SPDX-License-Identifier: Apache-2.0
"""The zone of a run's browsers and terminals. In it a run begins in the forenoon: were it to pass
midnight, what was drunk today would be yesterday's."""

import datetime

# There are zones from 12 hours behind UTC to 14 ahead.
_AHEAD = max(-12, 9 - datetime.datetime.now(datetime.timezone.utc).hour)
# The signs of these names are those of POSIX: positive is west.
NAME = f"Etc/GMT{-_AHEAD:+d}"
ZONE = datetime.timezone(datetime.timedelta(hours=_AHEAD))


def now():
    return datetime.datetime.now(ZONE)
