"""Prints the YAML of its standard input as JSON in one line: openapi.yaml, when the service is built."""
import json
import sys

import yaml

document = yaml.load(sys.stdin.buffer, yaml.CSafeLoader)
sys.stdout.buffer.write(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())
