import { readFile } from 'node:fs/promises';
import { parseWorkflow, problemText } from '@mortise/actions/workflow';

/** Checks workflow files and prints their problems; returns the number of errors. */
export async function lint(files: readonly string[], print: (line: string) => void): Promise<number> {
  let errors = 0;
  for (const file of files) {
    const content = await readFile(file).catch((error: unknown) =>
      error instanceof Error ? error : new Error('unreadable'),
    );
    if (content instanceof Error) {
      print(`${file}:1:1: ${content.message}`);
      errors++;
      continue;
    }
    const { problems } = parseWorkflow(content, file);
    for (const problem of problems) print(problemText(problem));
    errors += problems.filter(({ severity }) => severity === 'error').length;
  }
  return errors;
}
