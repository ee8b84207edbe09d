// lint.js - openapi.yaml by every recommended rule of Redocly, each an error. No rule is turned off. It is their library: the
// command that it belongs to has 160 MB of other packages, to serve and to render documents.
import { createConfig, formatProblems, getTotals, lint } from '@redocly/openapi-core';
import { fileURLToPath } from 'node:url';

const problems = await lint({ ref: fileURLToPath(new URL('../openapi.yaml', import.meta.url)), config: await createConfig({ extends: ['recommended-strict'] }) });
const totals = getTotals(problems);
formatProblems(problems, { format: 'codeframe', totals, version: '' });
process.exitCode = totals.errors + totals.warnings > 0 ? 1 : 0;
