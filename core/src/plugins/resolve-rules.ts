/**
 * Which modules a plugin from outside gets from the host, whatever lies beside the plugin itself. No imports and no
 * types of other files: Node 20 loads this file once more on a thread of its own.
 */
export interface SharedModules {
  /** Address of a module of the kernel: what it finds is what plugins get. */
  readonly kernel: string;
  /** Addresses of the folders of plugins from outside, each with a slash at its end. */
  readonly folders: readonly string[];
  /** Package name of each plugin that is there → address of its package.json. */
  readonly plugins: Readonly<Record<string, string>>;
}

/** One copy for all: their objects travel between host and plugins. */
const single = new Set(['@mortise/plugin-sdk', 'preact', 'preact-render-to-string']);
/** The plugin's own files get the host's; a library that it brought may have its own. */
const common = new Set(['joi', 'objection', 'knex']);

export interface Redirection {
  /** The module is looked for as if this one asked for it. */
  readonly parent: string;
  /** Only when it is not found beside the plugin. */
  readonly fallback: boolean;
}

/** Undefined: the usual rules decide. */
export function redirection(shared: SharedModules, specifier: string, parent?: string): Redirection | undefined {
  const name = packageName(specifier);
  if (!name || !parent) return undefined;
  const folder = shared.folders.find((one) => parent.startsWith(one));
  if (!folder) return undefined;
  if (single.has(name)) return { parent: shared.kernel, fallback: false };
  // A package finds itself by its own name: so nobody has to have installed it.
  const plugin = shared.plugins[name];
  if (plugin) return { parent: plugin, fallback: false };
  if (!common.has(name)) return undefined;
  const fallback = parent.slice(folder.length).includes('node_modules/');
  return { parent: shared.kernel, fallback };
}

/** `@mortise/webhooks` of `@mortise/webhooks/api`; undefined for paths and addresses. */
function packageName(specifier: string): string | undefined {
  return /^(?:@[^/]+\/)?[^./#@:][^/:]*(?=\/|$)/.exec(specifier)?.[0];
}
