/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Client: pictures of a diff are compared side by side, by swiping, or through each other; says how large they are. Draws 3D
 * models that are unfolded.
 */
import { siteUrl } from '@mortise/plugin-sdk/client';

/** Fetched when somebody unfolds a model: the library that draws it is large. */
const models: string = siteUrl('/assets/islands/model');

function prepare(images: HTMLElement): void {
  for (const figure of images.querySelectorAll('figure')) {
    const image = figure.querySelector('img');
    const dimensions = figure.querySelector('[data-image-dimensions]');
    if (!image || !dimensions) continue;
    const show = () => {
      if (image.naturalWidth) dimensions.textContent = ` · ${image.naturalWidth} × ${image.naturalHeight} px`;
    };
    image.addEventListener('load', show);
    show();
  }
  const modes = images.querySelector('fieldset');
  const position = images.querySelector<HTMLInputElement>('input[type=range]');
  if (!modes || !position) return;
  modes.hidden = false;
  const move = () => images.style.setProperty('--at', position.value);
  position.addEventListener('input', move);
  const choose = () => {
    const mode = modes.querySelector<HTMLInputElement>('input:checked')?.value ?? 'side';
    images.dataset.diffImages = mode;
    position.hidden = mode === 'side';
    move();
  };
  modes.addEventListener('change', choose);
  // a page that is loaded again may come with what was chosen before
  choose();
}

const prepareAll = (part: ParentNode): void => {
  for (const images of part.querySelectorAll<HTMLElement>('[data-diff-images]')) prepare(images);
};
prepareAll(document);
// pieces that are loaded later
document.addEventListener('mortise:added', ({ target }) => prepareAll(target as HTMLElement));
// the event does not bubble
document.addEventListener(
  'toggle',
  ({ target }) => {
    const part = target as HTMLDetailsElement;
    if (part.open && part.matches('[data-diff-models]'))
      void import(models).then(({ drawModels }: typeof import('./model.js')) => drawModels(part));
  },
  true,
);
