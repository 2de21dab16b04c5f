// lab, in a process that keeps what Node compiled of the bundled libraries for the next ones of the run.
import { createRequire } from 'node:module';
import { keepCompiled } from '../../core/dist/cli/code-cache.js';

keepCompiled(process.env.MORTISE_TEST_CODE);
createRequire(import.meta.url)('../../node_modules/@hapi/lab/bin/lab');
