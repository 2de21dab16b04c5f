import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { taskLogs } from '../api.js';
import { AnnotationRow } from '../models/annotation.js';
import { AnnotationParser } from '../services/annotations/annotation-parser.js';
import { Annotations } from '../services/annotations/annotations.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('annotations of jobs', { timeout: 120_000 }, () => {
  let mill: Mill;
  let commit: string;
  let annotations: Annotations;
  const time = { seconds: 1, nanos: 0 };

  before(async () => {
    mill = await Mill.start();
    annotations = new Annotations({ database: mill.host.database });
    await mill.workflow('lint.yml', workflowText('push', { lint: '' }));
    commit = await mill.touch();
  });
  after(() => mill.host.close());

  /** The job takes a task that logs these lines, some at a time. */
  const say = async (run: unknown, ...parts: (readonly string[])[]) => {
    await mill.take(run, 'lint');
    const job = (await mill.rows(run)).find(({ name }) => name === 'lint')!;
    let index = 0;
    for (const lines of parts) {
      const rows = lines.map((content) => ({ time, content }));
      await mill.host.services.get(taskLogs).append(job.task_id, rows, { index, noMore: false });
      index += lines.length;
    }
    return job.task_id;
  };
  const rowsOf = (taskId: number) =>
    mill.host.database.query(AnnotationRow).where('task_id', taskId).orderBy('id') as unknown as Promise<
      AnnotationRow[]
    >;

  it('issue 29: commands of a log become annotations with file and line, and stand on the page of the run', async () => {
    const [run] = await mill.runs();
    const id = run!.id;
    const task = await say(
      id,
      ['plain ::error::text', '::error file=./src/a.ts,line=3,endLine=5,title=No%2C really::Bad%0Athing'],
      [
        '::warning file=/workspace/ada/mill/b.ts::Hm',
        '::notice::Done <b>',
        '::debug::no',
        '::error file=/etc/passwd,line=1::x',
      ],
    );
    expect(
      (await rowsOf(task)).map((one) => [one.level, one.path, one.line, one.end_line, one.title, one.message]),
    ).to.equal([
      ['error', 'src/a.ts', 3, 5, 'No, really', 'Bad\nthing'],
      ['warning', 'b.ts', 0, 0, '', 'Hm'],
      ['notice', '', 0, 0, '', 'Done <b>'],
      ['error', '', 0, 0, '', 'x'],
    ]);
    const page = (await mill.ada.inject(`/ada/mill/actions/runs/${String(id)}`)).payload;
    expect(page).to.include([`/ada/mill/src/commit/${commit}/src/a.ts#L3-L5`, 'Done &lt;b', '#L4"', 'No, really']);
    const shown = await annotations.ofFiles(Number((await mill.rows(id))[0]!.repository_id), commit, ['src/a.ts', 'c']);
    expect(shown.map(({ message }) => message)).to.equal(['Bad\nthing']);
  });

  it('issue 29: what an older attempt said is not said of the lines of a commit any more', async () => {
    const [run] = await mill.runs();
    const { repository_id: repositoryId } = (await mill.rows(run!.id))[0]!;
    await mill.finish(run!.id, 'lint', 'failure');
    await mill.send('POST', `${mill.api}/actions/runs/${String(run!.id)}/rerun`);
    expect(await annotations.ofFiles(repositoryId, commit, ['src/a.ts'])).to.equal([]);
    await say(run!.id, ['::error file=src/a.ts,line=9::Still']);
    const now = await annotations.ofFiles(repositoryId, commit, ['src/a.ts']);
    expect(now.map(({ line, message }) => [line, message])).to.equal([[9, 'Still']]);
  });

  it('issue 29: there are 50 of a job at most, of 1,000 characters, and they go with their run', async () => {
    await mill.touch();
    const [run] = await mill.runs();
    const many = Array.from({ length: 40 }, (_, at) => `::notice::${at} ${'x'.repeat(2000)}`);
    const task = await say(run!.id, many, many);
    const rows = await rowsOf(task);
    expect(rows).to.have.length(50);
    expect(Math.max(...rows.map(({ message }) => message.length))).to.equal(1000);
    await mill.finish(run!.id, 'lint');
    await mill.send('DELETE', `${mill.api}/actions/runs/${String(run!.id)}`);
    expect(await rowsOf(task)).to.equal([]);
  });

  it('issue 29: between stop-commands and its token lines are none, also when they come apart', async () => {
    await mill.touch();
    const [run] = await mill.runs();
    const task = await say(
      run!.id,
      ['::stop-commands::pause', '::error::one'],
      ['::error::two'],
      ['::pause::', '::error::three'],
    );
    expect((await rowsOf(task)).map(({ message }) => message)).to.equal(['three']);
    const parser = new AnnotationParser('');
    expect(parser.read('::error file=../x,line=1::m', 0)).to.include({ path: '', line: 0 });
    expect(parser.read('::error file=a,line=99999999999::m', 0)).to.include({ path: 'a', line: 0 });
  });

  it('issue 29: they stand at the lines of a pull request whose head the run built', async () => {
    await mill.workflow('pull.yml', workflowText('pull_request', { lint: '' }));
    await mill.push({ 'lib/new.js': 'one;\ntwo;\nthree;\n' }, 'new', 'main', 'topic');
    const made = await mill.send('POST', `${mill.api}/pulls`, { head: 'topic', base: 'main', title: 'Topic' });
    await mill.host.settle();
    const [run] = await mill.runs('&event=pull_request');
    await say(run!.id, ['::warning file=lib/new.js,line=2::Two is odd', '::error file=lib/new.js,line=77::Far away']);
    const files = `/ada/mill/pulls/${String(made.body.number)}/files`;
    const page = (await mill.ada.inject(files)).payload;
    expect(page.match(/data-annotations/g)).to.have.length(2);
    expect(page.indexOf('Two is odd')).to.be.between(page.indexOf('two;'), page.indexOf('three;'));
    expect(page).to.include(['Far away', `/ada/mill/actions/runs/${String(run!.id)}"`]);
  });

  it('issue 29: the list and the page of a run draw how long the last runs took', async () => {
    const list = (await mill.ada.inject('/ada/mill/actions?workflow=lint.yml')).payload;
    expect(list).to.not.include('run-durations');
    for (const result of ['success', 'failure'] as const) {
      await mill.touch();
      await mill.finish((await mill.runs())[0]!.id, 'lint', result);
    }
    const now = (await mill.ada.inject('/ada/mill/actions?workflow=lint.yml')).payload;
    expect(now).to.include(['id="run-durations"', 'duration-success', 'duration-failure', 'Durations of the last']);
    const [run] = await mill.runs();
    expect((await mill.ada.inject(`/ada/mill/actions/runs/${String(run!.id)}`)).payload).to.include('duration-current');
  });

  it('issue 29: the list of all workflows leads to the form of each that is run by hand', async () => {
    expect((await mill.ada.inject('/ada/mill/actions')).payload).to.not.include('run=1');
    await mill.workflow('hand.yml', workflowText('workflow_dispatch', { one: '' }));
    expect((await mill.ada.inject('/ada/mill/actions')).payload).to.include(
      '/ada/mill/actions?workflow=hand.yml&amp;run=1',
    );
    expect((await mill.ben.inject('/ada/mill/actions')).payload).to.not.include('run=1');
    const page = (await mill.ada.inject('/ada/mill/actions?workflow=hand.yml&run=1')).payload;
    expect(page).to.match(/<details class="flex-auto" open/);
  });
});
