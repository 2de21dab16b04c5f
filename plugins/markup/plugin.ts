import { cache, definePlugin, site } from '@mortise/plugin-sdk';
import { markup, markupReferences, markupRenderers, type HighlightedCode } from './api.js';
import { markupRoutes } from './routes/markup.js';
import { MarkupService } from './services/markup.js';

export default definePlugin({
  name: 'markup',
  version: '1.0.0',
  description: 'Markdown and code rendering',
  sdk: '^1.0.0',
  provides: [markup, markupRenderers, markupReferences],

  register(host) {
    const renderers = host.point(markupRenderers);
    const references = host.point(markupReferences);
    host.service(markup, { cache, site }, (services) => {
      const megabyte = 1 << 20;
      return new MarkupService({
        site: services.site,
        renderers,
        references,
        rendered: services.cache.memory<string>('markup.rendered', { maxSize: 12 * megabyte }),
        highlighted: services.cache.memory<HighlightedCode>('markup.highlighted', { maxSize: 16 * megabyte }),
      });
    });
    host.routes({ markup }, markupRoutes);
    host.onStart({ markup }, async (services) => {
      const warm = () => {
        try {
          (services.markup as MarkupService).warm();
        } catch (error) {
          host.log.error('texts cannot be rendered', { error: String(error) });
        }
      };
      const clock = setTimeout(warm, 1500).unref();
      return () => clearTimeout(clock);
    });
    host.island('highlight', new URL('../styles/highlight.css', import.meta.url));
  },
});
