import { cache, definePlugin, fromPackage, defineService, metrics, site } from '@mortise/plugin-sdk';
import { fileRenderers, markup, markupReferences } from './contract/markup.js';
import { markupRoutes } from './routes/markup.js';
import { makeMarkup, type MarkupServices } from './services/make.js';
import { renderCommands } from './services/render-command.js';
import { commandSettings, markdownSettings, renderSettings } from './settings.js';

/** The service and the threads behind it; not part of the contract. */
const rendering = defineService<MarkupServices>('markup.rendering');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [markup, rendering, fileRenderers, markupReferences],

  register(host) {
    const renderers = host.point(fileRenderers);
    const references = host.point(markupReferences);
    const settings = { ...host.settings('markup', renderSettings), ...host.settings('markdown', markdownSettings) };
    const commands = renderCommands(host.settingsBelow('markup.', commandSettings));
    host.service(rendering, { cache, site, metrics }, (services) => {
      const results = services.metrics.counter('mortise_markup_results_total', 'Texts that were to be rendered', [
        'result',
      ]);
      const rendering = makeMarkup({
        ...services,
        log: host.log,
        renderers,
        references,
        settings,
        commands,
        entry: new URL('./worker/main.js', import.meta.url),
        count: (result) => results.inc({ result }),
      });
      services.metrics.gauge('mortise_markup_waiting', 'Texts that wait to be rendered', rendering.waiting);
      return rendering;
    });
    host.service(markup, { rendering }, (services) => services.rendering.markup);
    host.routes({ markup, site }, (services) =>
      markupRoutes({ ...services, maxDiagram: settings.MERMAID_MAX_SOURCE_CHARACTERS }),
    );
    host.onStart({ rendering }, async (services) => {
      const clock = setTimeout(() => {
        services.rendering.warm().catch((error: unknown) => {
          host.log.error('could not start rendering markup', { event: 'markup.threads', error: String(error) });
        });
      }, 1500).unref();
      return async () => {
        clearTimeout(clock);
        await services.rendering.close();
      };
    });
    host.island('highlight', new URL('./pages/markup.css', import.meta.url));
    host.island('markdown-editor', new URL('./pages/islands/editor.js', import.meta.url));
    host.island('markdown-editor-style', new URL('./pages/editor.css', import.meta.url));
    for (const name of ['markup', 'diagram']) host.island(name, new URL(`./pages/islands/${name}.js`, import.meta.url));
  },
});
