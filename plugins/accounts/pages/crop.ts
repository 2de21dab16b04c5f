/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts } from '@mortise/plugin-sdk/client';

/** Client: of a chosen picture, the square is chosen that is sent in its place, by dragging, by keys and a slider. */
const t = islandTexts<'part' | 'zoom' | 'hint'>('crop');
/** CSS pixels of the preview, and pixels of a side that are sent at most. */
const shown = 240;
const largest = 512;
const maxZoom = 4;
/** A key moves the square by this part of its side. */
const step = 0.05;
const moves: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-step, 0],
  ArrowRight: [step, 0],
  ArrowUp: [0, -step],
  ArrowDown: [0, step],
};

class Crop {
  readonly element = document.createElement('div');
  readonly #canvas = document.createElement('canvas');
  readonly #slider = document.createElement('input');
  #zoom = 1;
  /** Middle of the square, in pixels of the picture. */
  #x: number;
  #y: number;

  constructor(
    private readonly picture: ImageBitmap,
    private readonly type: string,
  ) {
    [this.#x, this.#y] = [picture.width / 2, picture.height / 2];
    const canvas = this.#canvas;
    canvas.width = canvas.height = Math.round(shown * Math.max(1, devicePixelRatio));
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', t('part'));
    let last = { clientX: 0, clientY: 0 };
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      last = event;
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      const scale = this.#side / shown;
      this.#move((last.clientX - event.clientX) * scale, (last.clientY - event.clientY) * scale);
      last = event;
    });
    canvas.addEventListener('keydown', (event) => {
      const move = moves[event.key];
      if (!move) return;
      event.preventDefault();
      this.#move(move[0] * this.#side, move[1] * this.#side);
    });
    const slider = this.#slider;
    Object.assign(slider, { type: 'range', min: '1', max: String(maxZoom), step: '0.01', value: '1' });
    slider.addEventListener('input', () => {
      this.#zoom = Number(slider.value);
      this.#move(0, 0);
    });
    const label = document.createElement('label');
    label.append(t('zoom'), slider);
    const hint = document.createElement('span');
    hint.className = 'f6 color-fg-muted';
    hint.textContent = t('hint');
    this.element.className = 'avatar-crop';
    this.element.append(canvas, label, hint);
    this.#move(0, 0);
  }

  get #side(): number {
    return Math.min(this.picture.width, this.picture.height) / this.#zoom;
  }

  #move(x: number, y: number): void {
    const half = this.#side / 2;
    this.#x = Math.min(Math.max(this.#x + x, half), this.picture.width - half);
    this.#y = Math.min(Math.max(this.#y + y, half), this.picture.height - half);
    this.#draw(this.#canvas);
  }

  #draw(canvas: HTMLCanvasElement): void {
    const side = this.#side;
    const context = canvas.getContext('2d');
    context?.clearRect(0, 0, canvas.width, canvas.height);
    const [left, top] = [this.#x - side / 2, this.#y - side / 2];
    context?.drawImage(this.picture, left, top, side, side, 0, 0, canvas.width, canvas.height);
  }

  /** The square as a file; undefined where the browser cannot make one. */
  async file(name: string): Promise<File | undefined> {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = Math.max(1, Math.min(largest, Math.round(this.#side)));
    this.#draw(canvas);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, this.type, 0.92));
    return blob ? new File([blob], name, { type: blob.type }) : undefined;
  }
}

function start(input: HTMLInputElement): void {
  const { form } = input;
  let crop: Crop | undefined;
  input.addEventListener('change', () => {
    const file = input.files?.[0];
    crop?.element.remove();
    crop = undefined;
    // an animated picture would stand still
    if (!file || file.type === 'image/gif') return;
    // what is no picture is refused by the server, which says why
    void createImageBitmap(file).then(
      (picture) => {
        if (input.files?.[0] !== file) return;
        crop = new Crop(picture, file.type);
        input.after(crop.element);
      },
      () => undefined,
    );
  });
  form?.addEventListener('submit', (event) => {
    const cropped = crop;
    if (!cropped) return;
    event.preventDefault();
    crop = undefined;
    const { submitter } = event;
    void cropped.file(input.files?.[0]?.name ?? 'avatar').then((file) => {
      if (file) {
        const files = new DataTransfer();
        files.items.add(file);
        input.files = files.files;
      }
      form.requestSubmit(submitter);
    });
  });
}

for (const input of document.querySelectorAll<HTMLInputElement>('input[data-crop]')) start(input);
