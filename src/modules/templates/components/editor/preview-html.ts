'use client';

export type ColorScheme = 'light' | 'dark';

/** Elements that run code, load something or lead elsewhere. The frame that shows the HTML allows none of that. */
const BLOCKED = 'script, link, object, embed, iframe, base, meta[http-equiv], video, audio, source';

/**
 * Prepares HTML of a template for a frame: without scripts and remote images, and with the styles for dark screens applied or dropped.
 * A frame's own media queries tell what the screen of this browser is.
 */
export function previewHtml(html: string, scheme: ColorScheme): { html: string; blockedImages: number } {
  const page = new DOMParser().parseFromString(forReader(html, scheme), 'text/html');
  for (const element of page.querySelectorAll(BLOCKED)) element.remove();
  let blockedImages = 0;
  for (const image of page.querySelectorAll('img')) {
    image.removeAttribute('srcset');
    if (/^data:image\//i.test(image.getAttribute('src') ?? 'data:image/')) continue;
    image.removeAttribute('src');
    blockedImages += 1;
  }
  return { html: page.documentElement.outerHTML, blockedImages };
}

function forReader(html: string, scheme: ColorScheme): string {
  return html.replace(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, asked: string) =>
    asked.toLowerCase() === scheme ? '(min-width: 0)' : '(max-width: 0)',
  );
}
