/// <reference lib="dom" />
import mermaid from 'mermaid';

/** Client: draws one diagram in a frame that has nothing else; the page around sends its text. */
const maxSource = Number(document.currentScript?.dataset.maxSource ?? 50_000);

addEventListener('message', (event: MessageEvent<{ source?: string; dark?: boolean }>) => {
  const { source, dark } = event.data;
  if (event.source !== parent || typeof source !== 'string') return;
  void show(source, dark ?? false);
});

async function show(source: string, dark: boolean): Promise<void> {
  try {
    if (source.length > maxSource) throw new Error(`more than ${maxSource} characters`);
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      theme: dark ? 'dark' : 'default',
      maxTextSize: maxSource,
      suppressErrorRendering: true,
    });
    document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
    const { svg } = await mermaid.render('diagram', source);
    document.body.innerHTML = svg;
    parent.postMessage(sizeOf(document.querySelector('svg')!), '*');
  } catch (error) {
    parent.postMessage({ reason: (error instanceof Error ? error.message : String(error)).slice(0, 300) }, '*');
  }
}

/** Its own size, in pixels. */
function sizeOf(svg: SVGSVGElement): { width: number; height: number } {
  const { width, height } = svg.viewBox.baseVal;
  return { width: Math.ceil(width) || svg.clientWidth, height: Math.ceil(height) || svg.clientHeight };
}

parent.postMessage({ ready: true }, '*');
