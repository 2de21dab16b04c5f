import type { ApiEntry } from './presenter.js';

/** A format of exports, made line by line. */
interface ExportFormat {
  readonly contentType: string;
  readonly extension: string;
  /** Before the entries. */
  readonly head: string;
  line(entry: ApiEntry): string;
}

/**
 * One field (RFC 4180). Spreadsheets take what begins with these signs for a formula: an apostrophe makes it a text
 * (OWASP, CSV injection).
 */
function field(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const columns: Readonly<Record<string, (entry: ApiEntry) => string | number>> = {
  id: ({ id }) => id,
  created_at: (entry) => entry.created_at,
  action: ({ action }) => action,
  actor: ({ actor }) => actor?.name ?? '',
  actor_id: ({ actor }) => actor?.id ?? '',
  sudo_by: ({ sudo_by }) => sudo_by || '',
  way: ({ way }) => way,
  credential: ({ credential }) => credential?.kind ?? '',
  credential_id: ({ credential }) => credential?.id ?? '',
  address: ({ address }) => address,
  user: ({ user }) => user?.name ?? '',
  owner: ({ owner }) => owner?.name ?? '',
  repository: ({ repository }) => repository?.name ?? '',
  target_kind: ({ target }) => target.kind,
  target_id: ({ target }) => target.id,
  target: ({ target }) => target.name,
  details: ({ details }) => JSON.stringify(details),
};

export const exportFormats: Readonly<Record<'csv' | 'jsonl', ExportFormat>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    head: `${Object.keys(columns).join(',')}\r\n`,
    line: (entry) =>
      `${Object.values(columns)
        .map((value) => field(value(entry)))
        .join(',')}\r\n`,
  },
  jsonl: {
    contentType: 'application/x-ndjson',
    extension: 'jsonl',
    head: '',
    line: (entry) => `${JSON.stringify(entry)}\n`,
  },
};
