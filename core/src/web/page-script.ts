/** Client, on every page. Bundled for the browser. */
import './copy-buttons.js';
import './lazy-fragments.js';
import './close-menus.js';
import './sortable-tables.js';
