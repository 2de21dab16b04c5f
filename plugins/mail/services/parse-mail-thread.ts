/** The entry of the threads: a mail of many parts would hold the event loop for minutes. */
import { beginTask, type ThreadInput } from '@mortise/plugin-sdk/threads';
import { parseMail, type ParsedMail, type ParseTask } from './parse-mail.js';

export default function run({ task, meter }: ThreadInput<ParseTask>): Promise<ParsedMail> {
  beginTask(meter);
  return parseMail(task);
}
