/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts } from '@mortise/plugin-sdk/client';
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';

/** Client: forms with `data-webauthn` ask a security key or passkey before they are sent, and bring its answer. */
const t = islandTexts<'unsupported' | 'failed'>('webauthn');

type Creation = Parameters<typeof startRegistration>[0]['optionsJSON'];
type Request = Parameters<typeof startAuthentication>[0]['optionsJSON'];

function tell(form: HTMLFormElement, text: string): void {
  const place = form.querySelector<HTMLElement>('[data-webauthn-error]')!;
  place.textContent = text;
  place.hidden = text === '';
}

const fill = (form: HTMLFormElement, name: string, value: string): void => {
  form.querySelector<HTMLInputElement>(`input[name="${name}"]`)!.value = value;
};

async function ask(form: HTMLFormElement, button: HTMLElement): Promise<void> {
  tell(form, '');
  if (!browserSupportsWebAuthn()) return tell(form, t('unsupported'));
  const options = JSON.parse(button.dataset.options ?? '{}') as unknown;
  try {
    if (form.dataset.webauthn === 'create') {
      fill(form, 'response', JSON.stringify(await startRegistration({ optionsJSON: options as Creation })));
      fill(form, 'kind', button.dataset.kind ?? 'key');
    } else fill(form, 'response', JSON.stringify(await startAuthentication({ optionsJSON: options as Request })));
  } catch {
    return tell(form, t('failed'));
  }
  form.submit();
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-webauthn]'))
  form.addEventListener('submit', (event) => {
    const button = event.submitter ?? form.querySelector<HTMLElement>('[data-options]');
    if (!button) return;
    event.preventDefault();
    void ask(form, button);
  });
