/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

export function insert(area: HTMLTextAreaElement, text: string): void {
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}

const isPicture = (file: File) => file.type.startsWith('image/');

/** Files go with the form; where they were dropped the text refers to them. */
function uploadFiles(area: HTMLTextAreaElement, field: HTMLInputElement, files: readonly File[]): void {
  const all = new DataTransfer();
  const names = new Set<string>();
  for (const file of field.files ?? []) all.items.add(file);
  // other texts of the form have files of their own, and each is named once
  for (const other of area.form?.querySelectorAll<HTMLInputElement>('input[type=file][name=files]') ?? [field])
    for (const file of other.files ?? []) names.add(file.name);
  const words: string[] = [];
  for (const file of files) {
    const at = file.name.lastIndexOf('.');
    const [stem, ending] = at > 0 ? [file.name.slice(0, at), file.name.slice(at)] : [file.name, ''];
    let name = file.name;
    for (let count = 2; names.has(name); count++) name = `${stem}-${count}${ending}`;
    names.add(name);
    all.items.add(name === file.name ? file : new File([file], name, { type: file.type }));
    const label = name.replace(/[[\]\\]/g, '\\$&');
    words.push(`${isPicture(file) ? '!' : ''}[${label}](attachment:${encodeURIComponent(name)})`);
  }
  field.files = all.files;
  insert(area, `${words.join('\n')}\n`);
}

/** Files that are dropped on the text area or pasted into it. */
export function takeFiles(area: HTMLTextAreaElement, field: HTMLInputElement): void {
  const take = (event: Event, files: FileList | undefined) => {
    if (!files?.length) return;
    event.preventDefault();
    uploadFiles(area, field, [...files]);
  };
  area.addEventListener('paste', (event) => take(event, event.clipboardData?.files));
  area.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  area.addEventListener('drop', (event) => take(event, event.dataTransfer?.files));
}
