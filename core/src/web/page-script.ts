/** Client, on every page. Bundled for the browser. */
import './copying.js';
import './later-parts.js';
import './menus.js';
import './sorting.js';
