/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { adoptIcons, islandTexts } from '@mortise/plugin-sdk/client';

/** Client, on pages with a conversation: says that there is something new, and puts it there when asked to. */
const text = islandTexts<'newsOne' | 'newsOther'>('issues');
const plural = new Intl.PluralRules(document.documentElement.lang);
const place = document.getElementById('issue-news');
const fresh = new Set<number>();

const anchorOf = (id: number): string => `issuecomment-${id}`;

function draw(bar: HTMLElement): void {
  const form = plural.select(fresh.size) === 'one' ? 'newsOne' : 'newsOther';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn btn-primary';
  button.textContent = text(form, { count: fresh.size });
  button.addEventListener('click', () => void show(bar));
  bar.replaceChildren(...(fresh.size ? [button] : []));
  bar.hidden = fresh.size === 0;
}

/** The entries before the bar, as the page has them by now; what somebody writes meanwhile stays. */
async function show(bar: HTMLElement): Promise<void> {
  const address = bar.dataset.last ?? location.href;
  const [first = 0] = [...fresh].sort((one, other) => one - other);
  const leave = () => {
    const to = new URL(`${address}#${anchorOf(first)}`, location.href);
    const isSamePage = to.pathname + to.search === location.pathname + location.search;
    location.assign(to);
    if (isSamePage) location.reload();
  };
  // the newest ones are on another page
  if (bar.dataset.elsewhere !== undefined) return leave();
  try {
    const answer = await fetch(address, { cache: 'no-store', redirect: 'error' });
    if (!answer.ok) return leave();
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const news = page.getElementById('issue-news');
    if (!news?.parentElement) return leave();
    const entries = [...news.parentElement.children].filter(
      ({ id }) => id.startsWith('issuecomment-') && !document.getElementById(id),
    );
    adoptIcons(page);
    for (const entry of entries) {
      const added = document.importNode(entry, true);
      bar.before(added);
      added.dispatchEvent(new CustomEvent('mortise:added', { bubbles: true }));
    }
    fresh.clear();
    draw(bar);
    document.getElementById(anchorOf(first))?.scrollIntoView({ block: 'center' });
  } catch {
    leave();
  }
}

function add(bar: HTMLElement, ids: readonly number[]): void {
  const unseen = ids.filter((id) => !document.getElementById(anchorOf(id)));
  if (unseen.length === 0) return;
  for (const id of unseen) fresh.add(id);
  draw(bar);
}

document.addEventListener('mortise:issue-news', ({ detail }: CustomEventInit<unknown>) => {
  const { issue_id: issue, comment_id: id } = detail as { readonly issue_id: number; readonly comment_id: number };
  if (place?.dataset.issue === String(issue)) add(place, [id]);
});

/** What was written after the page was made, and before it could hear of it. */
async function showMissedChanges(bar: HTMLElement): Promise<void> {
  try {
    const answer = await fetch(bar.dataset.news ?? '', { cache: 'no-store', redirect: 'error' });
    if (answer.ok) add(bar, ((await answer.json()) as { readonly entries: readonly number[] }).entries);
  } catch {
    // the next time that the connection stands it is asked again
  }
}

if (place) {
  document.addEventListener('mortise:listening', () => void showMissedChanges(place));
  if (document.documentElement.dataset.listening !== undefined) void showMissedChanges(place);
}
