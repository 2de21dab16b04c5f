/** For tests of plugins that have to do with actions; not in the packed plugin. */

/** A workflow with one job that says hello; `on` as in the file. */
export const helloWorkflow = (on = 'push'): string =>
  `name: hello\non: ${on}\njobs:\n  greet:\n    runs-on: linux\n    steps:\n      - run: echo hello\n`;

export { endTask, makeTask, type MadeTask, type TaskOptions } from './test/rows.js';
