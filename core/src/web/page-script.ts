/** Client, on every page. Bundled for the browser. */
import './copying.js';
import './menus.js';
import './sorting.js';
