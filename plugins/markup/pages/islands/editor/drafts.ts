/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** Texts that were begun and not sent, kept by this browser for one account. */
interface Draft {
  readonly text: string;
  readonly at: number;
}

const pauseMs = 500;
const maxAgeMs = 14 * 86_400_000;
const maxDrafts = 50;
const prefix = 'mortise.draft:';

/** Undefined where the browser keeps nothing, as in some private windows. */
function store(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

function read(kept: Storage, key: string): Draft | undefined {
  try {
    return JSON.parse(kept.getItem(key) ?? 'null') as Draft | undefined;
  } catch {
    return undefined;
  }
}

/** Forgets the oldest, and those that nobody came back to. */
function tidy(kept: Storage): void {
  const drafts = Object.keys(kept)
    .filter((key) => key.startsWith(prefix))
    .map((key) => ({ key, at: read(kept, key)?.at ?? 0 }))
    .sort((one, other) => other.at - one.at);
  for (const [index, { key, at }] of drafts.entries())
    if (index >= maxDrafts || at < Date.now() - maxAgeMs) kept.removeItem(key);
}

/** Keeps what is written until it is sent, and brings it back with a note that can discard it. */
export function keepDraft(
  area: HTMLTextAreaElement,
  words: { readonly draft: string; readonly discard: string },
): void {
  const kept = store();
  const { user } = document.body.dataset;
  if (!kept || !user || !area.name) return;
  const key = `${prefix}${user}:${location.pathname}#${area.id || area.name}`;
  const given = area.value;
  const save = () => {
    try {
      if (area.value === given) kept.removeItem(key);
      else kept.setItem(key, JSON.stringify({ text: area.value, at: Date.now() }));
    } catch {
      // full: what is written stays in the page
    }
  };
  const draft = read(kept, key);
  // a form that was refused shows what was sent
  if (draft && draft.text !== given && area.value.trim() === '') {
    area.value = draft.text;
    area.dispatchEvent(new Event('input', { bubbles: true }));
    const note = document.createElement('p');
    note.className = 'note mb-1';
    note.setAttribute('role', 'status');
    const discard = document.createElement('button');
    discard.type = 'button';
    discard.className = 'btn-link';
    discard.textContent = words.discard;
    discard.addEventListener('click', () => {
      area.value = given;
      area.dispatchEvent(new Event('input', { bubbles: true }));
      kept.removeItem(key);
      note.remove();
      area.focus();
    });
    note.append(words.draft, ' ', discard);
    area.before(note);
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  area.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(save, pauseMs);
  });
  area.form?.addEventListener('submit', (event) => {
    clearTimeout(timer);
    if (!event.defaultPrevented) kept.removeItem(key);
  });
  tidy(kept);
}
