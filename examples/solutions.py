#!/usr/bin/env python3
"""Lists solutions page by page, and counts: with Python's own library only.

Usage: solutions.py [SERVICE]
"""
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


def get(service, path):
    """The JSON of a path. A refusal is a RuntimeError that says why, and what to do about it."""
    try:
        with urllib.request.urlopen(service + path, timeout=150) as reply:
            return reply.status, reply.headers, json.load(reply)
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        raise RuntimeError(f"{problem['title']}: {problem.get('detail', '')}") from None


def solutions(service, **query):
    """Yields the permutation of each solution: solutions(service, n=8, place="1:1")."""
    path = "/solve?" + urllib.parse.urlencode(query)
    while path:
        _, _, page = get(service, path)
        for solution in page["solutions"]:
            yield solution["permutation"]
        path = page["next"]  # a page may be empty and have a next one: the search goes on there


def count(service, **query):
    """The exact number of solutions, however long that takes."""
    status, headers, answer = get(service, "/count?" + urllib.parse.urlencode(query))
    while status == 202:  # it takes longer than a request should: a job does it
        time.sleep(int(headers["Retry-After"] or 1))
        _, _, job = get(service, answer["self"])
        if job["state"] == "done":
            return int(job["result"]["count_text"])
        if job["state"] != "running":
            raise RuntimeError(f"the job is {job['state']}")
    return int(answer["count_text"])  # as text it is exact in every language


def main():
    service = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
    found = list(solutions(service, n=8))
    print(f"8 queens: {len(found)} solutions, the last one {found[-1]}")
    corner = count(service, n=12, place="1:1", exclude="2:3,3:2")
    print(f"12 queens, one in the corner and none a knight's move from it: {corner} ways")


if __name__ == "__main__":
    main()
