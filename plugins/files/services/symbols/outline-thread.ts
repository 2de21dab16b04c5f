/** The entry of the threads that read outlines. */
import { beginTask, type ThreadInput } from '@mortise/plugin-sdk/threads';
import { grammarOf } from './grammars.js';
import { outlineOf, type Outline } from './outline.js';
import type { SymbolLanguage } from './symbol-languages.js';

export interface OutlineTask {
  readonly language: SymbolLanguage;
  readonly text: string;
}

export default async function run({ task, meter }: ThreadInput<OutlineTask>): Promise<Outline> {
  const grammar = await grammarOf(task.language);
  beginTask(meter);
  return outlineOf(grammar, task.text);
}
