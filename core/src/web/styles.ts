/** Our own rules: few, all on Primer's variables, so that light and dark follow by themselves. */
export const siteStyles = `
html{scroll-padding-top:1rem}
body{min-height:100vh;display:flex;flex-direction:column;background:var(--bgColor-default);color:var(--fgColor-default);overflow-wrap:break-word}
main{flex:1 0 auto}
:target{scroll-margin-top:1rem}
.skip-link{position:absolute;left:-999px;top:0;z-index:100;padding:8px 16px;background:var(--bgColor-accent-emphasis);color:var(--fgColor-onEmphasis)}
.skip-link:focus{left:8px;top:8px;border-radius:6px}
.sprite{position:absolute;width:0;height:0;overflow:hidden}
.octicon{fill:currentColor;vertical-align:text-bottom;display:inline-block;overflow:visible}
.site-top{display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;padding:10px 24px;background:var(--bgColor-inset);border-bottom:1px solid var(--borderColor-muted)}
.site-brand{display:flex;align-items:center;gap:8px;font-weight:600;font-size:16px;color:var(--fgColor-default)}
.site-brand:hover{text-decoration:none;color:var(--fgColor-accent)}
.site-brand svg,.site-brand .site-logo{display:block}
.site-logo{max-width:100%;object-fit:contain}
.site-nav{display:flex;flex-wrap:wrap;gap:4px;flex:1 1 auto}
.site-nav a{display:inline-flex;align-items:center;gap:6px;padding:5px 10px;border-radius:6px;color:var(--fgColor-default);font-weight:500}
.site-nav a:hover{background:var(--bgColor-neutral-muted);text-decoration:none}
.site-nav a[aria-current]{background:var(--bgColor-neutral-muted);font-weight:600}
.site-search{flex:0 1 260px}
input[type=file]{max-width:100%}
.site-search input{width:100%}
.site-user{display:flex;align-items:center;gap:8px;flex-shrink:0}
.site-menu{display:none}
.site-menu nav{display:flex;flex-direction:column}
.site-menu nav a{padding:8px 10px;border-radius:6px;color:var(--fgColor-default)}
.site-menu nav a:hover,.site-menu nav a[aria-current]{background:var(--bgColor-neutral-muted);text-decoration:none}
.site-menu .site-search{margin:4px 4px 8px}
.site-button{display:inline-flex;align-items:center;gap:2px;min-width:32px;min-height:32px;padding:0 8px;justify-content:center;border:1px solid var(--borderColor-default);border-radius:6px;color:var(--fgColor-muted);cursor:pointer;list-style:none}
.site-button::-webkit-details-marker{display:none}
.site-button:hover{background:var(--bgColor-neutral-muted)}
.row-link{display:inline-block;min-height:24px;line-height:24px}
.title-link{padding-block:3px;line-height:24px}
.shortcuts>div{display:flex;gap:16px;padding:6px 0;border-bottom:1px solid var(--borderColor-muted)}
.shortcuts dt{flex:0 0 72px}
.shortcuts dd{margin:0}
.sort-button{padding:0;border:0;background:none;color:inherit;font:inherit;cursor:pointer}
.sort-button:hover{text-decoration:underline}
[aria-sort=ascending]>.sort-button::after{content:" ▴" / ""}
[aria-sort=descending]>.sort-button::after{content:" ▾" / ""}
.site-main{width:100%;max-width:1280px;margin:0 auto;padding:24px}
.site-main-narrow{max-width:560px}
.site-main-full{max-width:none;padding:0}
.site-footer{margin-top:32px;padding:16px 24px;border-top:1px solid var(--borderColor-muted);color:var(--fgColor-muted);font-size:12px;display:flex;flex-wrap:wrap;gap:4px 16px;justify-content:center}
.site-footer a{color:var(--fgColor-muted)}
.site-languages>summary{cursor:pointer;list-style:none}
.site-languages>summary::-webkit-details-marker{display:none}
.site-languages>.dropdown-menu{bottom:100%;margin-bottom:4px;min-width:140px}
.site-languages .dropdown-item{color:var(--fgColor-default)}
.site-flash{max-width:1280px;margin:16px auto 0;width:calc(100% - 48px)}
.error-page{max-width:560px;margin:48px auto;text-align:center}
.error-page .error-status{font-size:72px;line-height:1;font-weight:600;color:var(--fgColor-muted);font-family:var(--fontStack-monospace,monospace)}
.error-reason::first-letter{text-transform:uppercase}
.hero{padding:64px 24px 48px;text-align:center;background:linear-gradient(180deg,var(--bgColor-inset),var(--bgColor-default))}
.hero h1{font-size:40px;margin:16px 0 8px}
.hero p{font-size:18px;color:var(--fgColor-muted);max-width:640px;margin:0 auto 24px}
.hero-actions{display:flex;gap:12px;justify-content:center;flex-wrap:wrap}
.feature-grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(240px,1fr));gap:16px;max-width:1080px;margin:0 auto 48px;padding:0 24px}
.feature{border:1px solid var(--borderColor-default);border-radius:8px;padding:20px;background:var(--bgColor-muted)}
.feature h2{font-size:16px;margin-bottom:6px;display:flex;gap:8px;align-items:center}
.feature p{margin:0;color:var(--fgColor-muted)}
.page-head{display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;margin-bottom:16px}
.page-head h1{font-size:20px;flex:1 1 auto;min-width:0}
.sidebar-layout{display:grid;grid-template-columns:minmax(0,1fr) 296px;gap:24px}
.files-table{width:100%;border:1px solid var(--borderColor-default);border-radius:6px;border-spacing:0;border-collapse:separate}
.files-table td,.files-table th{padding:8px 12px;border-top:1px solid var(--borderColor-muted);text-align:left;vertical-align:top}
.files-table tr:first-child td,.files-table tr:first-child th{border-top:0}
.files-table tbody tr:hover{background:var(--bgColor-muted)}
.files-table .octicon{color:var(--fgColor-muted)}
.files-table .octicon-file-directory-fill{color:var(--fgColor-accent)}
.blob{width:100%;border-spacing:0;border-collapse:collapse;font-family:var(--fontStack-monospace,ui-monospace,monospace);font-size:12px;line-height:20px;tab-size:8}
.blob td{padding:0 10px;vertical-align:top}
.blob .blob-number{width:1%;min-width:48px;text-align:right;color:var(--fgColor-muted);user-select:none;white-space:nowrap}
.blob .blob-number a{color:inherit}
.blob .blob-code{white-space:pre-wrap;word-break:break-word}
.blob tr:target{background:var(--bgColor-attention-muted)}
.blob .addition{background:var(--bgColor-success-muted)}
.blob .deletion{background:var(--bgColor-danger-muted)}
.blob .hunk{background:var(--bgColor-accent-muted);color:var(--fgColor-muted)}
.code-scroll{overflow-x:auto}
.hljs-comment,.hljs-quote{color:var(--color-prettylights-syntax-comment)}
.hljs-keyword,.hljs-selector-tag,.hljs-meta .hljs-keyword,.hljs-doctag,.hljs-template-tag,.hljs-template-variable{color:var(--color-prettylights-syntax-keyword)}
.hljs-title,.hljs-title.class_,.hljs-title.function_,.hljs-section{color:var(--color-prettylights-syntax-entity)}
.hljs-attr,.hljs-attribute,.hljs-literal,.hljs-meta,.hljs-number,.hljs-operator,.hljs-variable,.hljs-selector-attr,.hljs-selector-class,.hljs-selector-id,.hljs-property{color:var(--color-prettylights-syntax-constant)}
.hljs-regexp,.hljs-string,.hljs-meta .hljs-string{color:var(--color-prettylights-syntax-string)}
.hljs-built_in,.hljs-symbol,.hljs-type{color:var(--color-prettylights-syntax-variable)}
.hljs-name,.hljs-selector-pseudo{color:var(--color-prettylights-syntax-entity-tag)}
.hljs-addition{background:var(--bgColor-success-muted)}
.hljs-deletion{background:var(--bgColor-danger-muted)}
.hljs-emphasis{font-style:italic}
.hljs-strong{font-weight:600}
.data-table{width:100%;border-spacing:0;border-collapse:collapse}
.data-table th,.data-table td{padding:8px 12px;border-bottom:1px solid var(--borderColor-muted);text-align:left}
.menu-details{position:relative}
.menu-details>summary{list-style:none;cursor:pointer}
.menu-details>summary::-webkit-details-marker{display:none}
.menu-details[open]>.menu-body{position:absolute;right:0;z-index:50;min-width:200px;margin-top:4px;padding:4px;background:var(--overlay-bgColor,var(--bgColor-default));border:1px solid var(--borderColor-default);border-radius:8px;box-shadow:var(--shadow-floating-small,0 8px 24px rgba(0,0,0,.2))}
.menu-body a,.menu-body button{display:flex;align-items:center;gap:8px;width:100%;padding:6px 10px;border:0;border-radius:6px;background:none;color:var(--fgColor-default);text-align:left;font-size:14px}
.menu-body a:hover,.menu-body button:hover{background:var(--bgColor-neutral-muted);text-decoration:none}
.paginate-container .pagination .disabled{color:var(--fgColor-muted)}
.markdown-body :is(p,li,td,blockquote) a:not(.anchor),main p:not(.f6)>a:not(.btn,.topic-tag,.Link--primary,.Link--secondary){text-decoration:underline}
.confirm{position:relative;display:inline-block}
.confirm>.confirm-body{position:absolute;right:0;z-index:50;width:300px;max-width:90vw;margin-top:4px;padding:16px;text-align:left;font-weight:400;white-space:normal;background:var(--overlay-bgColor,var(--bgColor-default));border:1px solid var(--borderColor-default);border-radius:8px;box-shadow:var(--shadow-floating-small,0 8px 24px rgba(0,0,0,.2))}
.Box-row:has(>.confirm){position:relative}
.Box-row>.confirm{position:static}
.Box-row>.confirm>.confirm-body{right:16px}
.confirm-start>.confirm-body{right:auto;left:0}
.avatar{border-radius:50%;object-fit:cover;background:var(--bgColor-muted)}
.clone-box{display:flex;gap:8px}
.clone-box input{flex:1;font-family:var(--fontStack-monospace,monospace)}
.gap-1{gap:4px}
.gap-2{gap:8px}
.gap-3{gap:16px}
.side-facts{width:180px;max-width:100%}
.side-facts a{display:inline-block;min-height:24px;line-height:24px}
.width-narrow{max-width:480px}
.status-list{z-index:30;width:min(340px,100vw - 32px);max-height:320px;overflow:auto}
.card-grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(240px,100%),1fr));gap:12px}
.check-grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(200px,100%),1fr));column-gap:16px}
.form-narrow{max-width:640px;margin:0 auto}
/* what belongs to a choice that is not made; where something in it is refused it stays */
.form-checkbox:not(:has(>label>input:checked),:has(>.form-below .field-error))>.form-below{display:none}
.form-below{margin-top:8px;font-weight:400}
.list-main{flex:1 1 180px;min-width:0;overflow-wrap:anywhere}
fieldset{min-width:0}
@media (min-width:768px){.setting-name{flex:0 0 50%;max-width:50%}}
.ws-pre-wrap{white-space:pre-wrap}
.menu-layout{gap:24px}
@media (min-width:768px){.menu-layout>.menu{width:240px}}
.narrow-form{max-width:360px}
.profile-picture{max-width:min(260px,28vw)}
.account-menu{z-index:100;width:260px}
.drag-handle{cursor:grab;touch-action:none;user-select:none}
.field-row{column-gap:24px}
.danger-text{flex:1 1 300px}
.danger-text p{margin:0;color:var(--fgColor-muted)}
.language-dot{vertical-align:-1px}
.gap-4{gap:24px}
.min-width-0{min-width:0}
.heatmap{overflow-x:auto;direction:rtl}
.heatmap>svg{display:block;direction:ltr;margin:0 auto;font-size:10px;fill:var(--fgColor-muted)}
.heatmap-0{fill:var(--bgColor-neutral-muted)}
.heatmap-1,.heatmap-2,.heatmap-3,.heatmap-4{fill:var(--bgColor-success-emphasis)}
.heatmap-1{opacity:.35}
.heatmap-2{opacity:.55}
.heatmap-3{opacity:.75}
:is(input,select,textarea):target{outline:2px solid var(--borderColor-accent-emphasis);outline-offset:2px}
@media (min-width:768px){.code-menu.clone-menu{width:420px}}
.clone-address{flex:1 1 auto;min-width:0;padding:5px 8px;border-radius:6px;background:var(--bgColor-muted);overflow-wrap:anywhere;user-select:all}
.clone-commands{padding:12px;border-radius:6px;background:var(--bgColor-muted)}
.clone-ways:has([value=ssh]:checked)>.clone-http,.clone-ways:not(:has([value=ssh]:checked))>.clone-ssh{display:none}
.clone-ways .BtnGroup-item:has(:checked){background:var(--bgColor-accent-emphasis);color:var(--fgColor-onEmphasis)}
.clone-ways .BtnGroup-item:has(:focus-visible){outline:2px solid var(--borderColor-accent-emphasis);outline-offset:2px}
.form-control.form-lines{min-height:0;height:auto}
.form-control.form-number{width:96px}
.form-control:placeholder-shown{text-overflow:ellipsis}
.field-error{margin:4px 0 2px;font-size:12px;color:var(--fgColor-danger)}
.form-control[aria-invalid],.form-select[aria-invalid]{border-color:var(--borderColor-danger-emphasis)}
.api-viewer-head{margin-bottom:16px}
.api-command{display:flex;align-items:flex-start;gap:8px;margin-bottom:16px}
.api-command pre{flex:1 1 0;min-width:0;margin:0;padding:8px 12px;overflow-x:auto;background:var(--bgColor-muted);border-radius:6px}
.api-try{margin-bottom:24px}
.api-answer{display:block;max-height:480px;margin-top:16px;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
@media (scripting:none){.api-try{display:none}}
.api-viewer-groups{display:flex;flex-wrap:wrap;gap:8px;margin-bottom:16px}
.api-viewer-groups a{padding:4px 10px;border:1px solid var(--borderColor-default);border-radius:16px}
.api-viewer section{margin-bottom:24px;content-visibility:auto;contain-intrinsic-size:auto 600px}
.api-operations,.api-models{list-style:none}
.api-operations li{padding:8px 12px;border-top:1px solid var(--borderColor-muted);overflow-wrap:anywhere}
.api-models{display:flex;flex-wrap:wrap;gap:8px 24px}
.api-operation-title{font-size:16px;font-weight:400;margin:8px 0 16px;overflow-wrap:anywhere}
.api-method{display:inline-block;min-width:64px;text-align:center;font-family:var(--fontStack-monospace,monospace)}
.api-deprecated{text-decoration:line-through}
.api-table{width:100%;margin-bottom:16px;border-spacing:0;border-collapse:collapse;font-size:13px}
.api-table caption{text-align:left;font-weight:600;padding:4px 0}
.api-table th,.api-table td{padding:4px 12px 4px 0;text-align:left;vertical-align:top;border-top:1px solid var(--borderColor-muted);font-weight:400}
.api-table th{white-space:nowrap}
.api-table a{text-decoration:underline}
@media (max-width:767px){
.site-top{flex-wrap:nowrap;gap:8px;padding:8px 16px}
.site-top>.site-nav,.site-top>.site-search{display:none}
.site-brand{flex:1 1 auto;flex-wrap:wrap;align-content:flex-start;min-width:0;max-height:28px;overflow:hidden}
.site-brand>svg,.site-brand>.site-logo{flex:none}
.site-brand>span{flex:1 1 8ch;min-width:0;line-height:28px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.site-top{position:relative}
.site-menu{display:block}
.site-menu.dropdown{position:static}
.site-menu>.dropdown-menu{right:16px;left:16px;width:auto}
.site-menu>.dropdown-menu::before,.site-menu>.dropdown-menu::after{display:none}
.site-main{padding:16px}
.site-main-full{padding:0}
.sidebar-layout{grid-template-columns:minmax(0,1fr)}
.hero{padding:40px 16px 32px}
.hero h1{font-size:30px}
.data-table,.files-table{display:block;overflow-x:auto}
.data-table th,.files-table th{position:relative}
.data-table tbody th{min-width:160px}
.hide-small{display:none!important}
.confirm{position:static}
.confirm>.confirm-body,.confirm-start>.confirm-body{right:16px;left:16px;width:auto;max-width:none}
}
@media print{
html[data-color-mode][data-light-theme][data-dark-theme]{color-scheme:light;--fgColor-default:#1f2328;--fgColor-muted:#59636e;--fgColor-accent:#0969da;--bgColor-default:#fff;--bgColor-muted:#f6f8fa;--bgColor-inset:#f6f8fa;--bgColor-neutral-muted:#eef0f2;--borderColor-default:#d1d9e0;--borderColor-muted:#d1d9e0}
.skip-link,.site-top,.site-footer,.site-flash,.UnderlineNav,.paginate-container,.menu,.btn,button,.dropdown,.confirm,input[type=search],form[role=search]{display:none!important}
.site-main,.container-xl{max-width:none!important;padding:0!important}
.Box,.blob,.code-scroll,.data-table,.files-table{overflow:visible!important}
.Box-row,tr,img,pre{break-inside:avoid}
h1,h2,h3{break-after:avoid}
pre,.blob-code{white-space:pre-wrap!important}
main p a[href^="http"]::after{content:" (" attr(href) ")";font-size:.8em;overflow-wrap:anywhere}
}
@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
`;
