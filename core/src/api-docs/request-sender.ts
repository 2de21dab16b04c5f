/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts } from '@mortise/plugin-sdk/client';

/** Client, on the page of an operation: sends the request that its form describes, and shows the answer. */
const text = islandTexts<'sending' | 'failed' | 'cut'>('api-request');
const maxShown = 100_000;
const timeoutMs = 30_000;

/** The address with what the fields say; at its end (`{filepath}`, `{branch}`) slashes are those of a path. */
function addressOf(form: HTMLFormElement): string {
  let address = form.dataset.address!;
  const query = new URLSearchParams();
  for (const { name, value, dataset } of form.querySelectorAll<HTMLInputElement>('input[data-in]'))
    if (dataset.in === 'path')
      address = address.replace(`{${name}}`, () =>
        form.dataset.address!.endsWith(`{${name}}`)
          ? value.split('/').map(encodeURIComponent).join('/')
          : encodeURIComponent(value),
      );
    else if (value) query.append(name, value);
  return query.size ? `${address}?${query}` : address;
}

function shown(body: string): string {
  let pretty = body;
  try {
    pretty = JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // a text is shown as it is
  }
  return pretty.length > maxShown ? `${pretty.slice(0, maxShown)}\n${text('cut')}` : pretty;
}

/** What a text cannot show is named by its type, and not read. */
async function textOf(answer: Response): Promise<string> {
  const type = answer.headers.get('content-type') ?? '';
  if (answer.body === null || /json|text|xml|yaml/.test(type)) return shown(await answer.text());
  await answer.body.cancel();
  return type;
}

async function send(form: HTMLFormElement): Promise<void> {
  const output = form.querySelector('output')!;
  const button = form.querySelector('button')!;
  button.disabled = true;
  const body = form.querySelector('textarea')?.value;
  output.textContent = text('sending');
  try {
    const answer = await fetch(addressOf(form), {
      method: form.dataset.method!,
      headers: {
        accept: 'application/json',
        'x-csrf-token': form.dataset.csrf!,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body ? { body } : {}),
    });
    output.textContent = `${answer.status} ${answer.statusText}\n\n${await textOf(answer)}`.trim();
  } catch {
    output.textContent = text('failed');
  } finally {
    button.disabled = false;
  }
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-api-request]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
