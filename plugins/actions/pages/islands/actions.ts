/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { adoptIcons } from '@mortise/plugin-sdk/client';

/** Client, on pages of runs: shows how they go on. What is open stays open. */
const place = document.getElementById('actions-live');
const job = document.getElementById('job');
/** Milliseconds between two polls without a notification. */
const pause = place?.dataset.wait ? Number(place.dataset.wait) * 1000 : 3000;
let timer: ReturnType<typeof setTimeout> | undefined;
let isAsking = false;

const isOver = (): boolean => (job ?? place)?.dataset.done === 'true';

/** The same parts of another page in place of those of this one. */
function replace(page: Document, ids: readonly string[]): void {
  adoptIcons(page);
  for (const id of ids) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old && fresh && !old.contains(document.activeElement)) old.replaceWith(document.importNode(fresh, true));
  }
}

/** Heads of steps as they are now, and lines that came to them. */
function addSteps(page: Document): void {
  adoptIcons(page);
  for (const fresh of page.querySelectorAll<HTMLElement>('.job-step')) {
    const old = document.getElementById(fresh.id);
    const [log, more] = [old?.querySelector('[data-log]'), fresh.querySelector('[data-log]')];
    if (!old || !log || !more) {
      document.getElementById('job-steps')?.append(document.importNode(fresh, true));
      continue;
    }
    const [head, now] = [old.querySelector('.job-step-head'), fresh.querySelector('.job-step-head')];
    if (head && now) head.replaceChildren(...document.importNode(now, true).childNodes);
    const wasEmpty = log.childElementCount === 0;
    log.append(...[...more.children].map((line) => document.importNode(line, true)));
    if (wasEmpty && log.childElementCount > 0) old.setAttribute('open', '');
  }
}

async function poll(): Promise<void> {
  if (isAsking || document.hidden) return;
  isAsking = true;
  try {
    const address = new URL(location.href);
    address.hash = '';
    if (job) address.searchParams.set('from', job.dataset.lines ?? '0');
    const answer = await fetch(address, { cache: 'no-store', redirect: 'error' });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById('job');
    if (job && fresh) {
      addSteps(page);
      find();
      job.dataset.lines = fresh.dataset.lines;
      // groups are folded as the whole log has them
      if (fresh.dataset.done === 'true') return location.reload();
      replace(page, ['run-head', 'run-jobs', 'job-state', 'job-download']);
    } else {
      replace(page, ['run-head', 'run-jobs', 'run-summary', 'run-rows']);
      // a comment that is being written stays
      const [waits, now] = [document.getElementById('run-deployments'), page.getElementById('run-deployments')];
      if (waits?.dataset.version !== now?.dataset.version) replace(page, ['run-deployments']);
      const done = page.getElementById('actions-live')?.dataset.done;
      if (place && done) place.dataset.done = done;
    }
  } catch {
    // the next look tells
  } finally {
    isAsking = false;
  }
}

function again(wait = pause): void {
  clearTimeout(timer);
  if (isOver()) return;
  timer = setTimeout(() => void poll().finally(() => again()), wait);
}

document.addEventListener('mortise:actions-log', (event) => {
  const { taskId } = (event as CustomEvent<{ taskId: number }>).detail;
  // soon once more: which step the lines belong to is said after them
  if (job && String(taskId) === job.dataset.task && !isOver()) void poll().finally(() => again(1000));
});
// another branch may ask for other things; where it has no such workflow the fields stay, and the form is refused
const form = document.getElementById('workflow-run');
form?.addEventListener('change', (event) => {
  if (!(form instanceof HTMLFormElement) || (event.target as HTMLInputElement).name !== 'ref') return;
  const sent = new FormData(form);
  const address = new URL(form.action.replace(/\/run$/, '/workflow-dispatch-inputs'));
  for (const name of ['workflow', 'scoped_workflow_source_repo_id', 'ref'])
    address.searchParams.set(name, String(sent.get(name) ?? ''));
  void fetch(address, { cache: 'no-store', redirect: 'error' })
    .then(async (answer) => {
      if (answer.ok) replace(new DOMParser().parseFromString(await answer.text(), 'text/html'), ['workflow-inputs']);
    })
    .catch(() => undefined);
});
const search = document.getElementById('log-search');
/** Marks the lines that have what is looked for, and opens what holds them. */
function find(): void {
  if (!(search instanceof HTMLInputElement)) return;
  const wanted = search.value.trim().toLowerCase();
  const hits: Element[] = [];
  for (const line of document.querySelectorAll('.log-line')) {
    const isHit = wanted !== '' && line.querySelector('.log-text')?.textContent?.toLowerCase().includes(wanted);
    line.classList.toggle('log-hit', Boolean(isHit));
    if (isHit) hits.push(line);
  }
  for (const hit of hits)
    for (let fold = hit.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null)
      fold.open = true;
  const matchCount = document.getElementById('log-found');
  if (matchCount) matchCount.textContent = wanted ? String(hits.length) : '';
}
let searching: ReturnType<typeof setTimeout> | undefined;
search?.addEventListener('input', () => {
  clearTimeout(searching);
  searching = setTimeout(find, 150);
});
let shownHit = -1;
search?.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  const hits = document.querySelectorAll('.log-hit');
  if (hits.length > 0) hits[(shownHit = (shownHit + 1) % hits.length)]!.scrollIntoView({ block: 'center' });
});
// a link to a line opens the step that has it
const target = location.hash.startsWith('#L') ? document.getElementById(location.hash.slice(1)) : null;
for (let step = target?.closest('details'); step; step = step.parentElement?.closest('details')) step.open = true;
target?.scrollIntoView({ block: 'center' });
again();
