import classes from './html-frame.module.css';

type HtmlFrameProps = {
  html: string;
  title: string;
  /** Whether links open in a new tab. They do nothing otherwise. */
  hasLinks?: boolean;
  /** The colors that the reader of the message prefers. */
  colorScheme?: 'light' | 'dark';
};

/**
 * Shows HTML of a message without scripts, in an origin of its own. Nothing is loaded, which is a second line behind the sanitiser
 * where a stranger wrote the message.
 */
export function HtmlFrame({ html, title, hasLinks = false, colorScheme = 'light' }: HtmlFrameProps) {
  return (
    <iframe
      className={classes.frame}
      title={title}
      sandbox={hasLinks ? 'allow-popups allow-popups-to-escape-sandbox' : ''}
      referrerPolicy="no-referrer"
      srcDoc={`${HEAD}${colorScheme === 'dark' ? DARK : ''}${html}`}
    />
  );
}

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

// The colors of paper, since messages are designed for it.
const STYLE = `
  html { color-scheme: light; background: #fff; color: #1c1c1c; }
  body { margin: 16px; font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
  img { max-width: 100%; height: auto; }
  pre { white-space: pre-wrap; }
`;

const HEAD = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><style>${STYLE}</style>`;
const DARK = '<style>html { color-scheme: dark; background: #1c1c1c; color: #f0f0f0; }</style>';
