const tone = (name: string, variable: string): string => `
.Label--${name},.State--${name}{color:var(--fgColor-${variable});border-color:var(--borderColor-${variable}-emphasis,var(--fgColor-${variable}))}
.flash-${name}{background:var(--bgColor-${variable}-muted);border-color:var(--borderColor-${variable}-muted)}`;

/** Components that developers know by these names and that Primer's style sheets no longer carry; our own rules. */
export const componentStyles = `
.Box{border:1px solid var(--borderColor-default);border-radius:6px;background:var(--bgColor-default)}
.Box-header{display:flex;flex-wrap:wrap;align-items:center;gap:8px;padding:12px 16px;margin:-1px -1px 0;background:var(--bgColor-muted);border:1px solid var(--borderColor-default);border-radius:6px 6px 0 0}
.Box-header:last-child{margin-bottom:-1px;border-radius:6px}
.Box-title{font-size:14px;font-weight:600;margin:0;flex:1 1 auto}
.Box-body{padding:16px}
.Box-row{padding:12px 16px;border-top:1px solid var(--borderColor-muted);list-style:none}
.Box-row:first-child,.Box-header+.Box-row{border-top:0}
.Box-row--hover:hover,.Box-row--hover-gray:hover{background:var(--bgColor-muted)}
.Box-footer{padding:12px 16px;border-top:1px solid var(--borderColor-default)}
.Box--danger,.Box--danger>.Box-row:first-child{border-color:var(--borderColor-danger-emphasis)}
.Box--condensed .Box-row,.Box--condensed .Box-body,.Box--condensed .Box-header{padding:8px 16px}
.flash{position:relative;padding:12px 16px;border:1px solid var(--borderColor-accent-muted);border-radius:6px;background:var(--bgColor-accent-muted);color:var(--fgColor-default)}
.flash .octicon{margin-right:8px}
.flash-warn{background:var(--bgColor-attention-muted);border-color:var(--borderColor-attention-muted)}
.flash-error{background:var(--bgColor-danger-muted);border-color:var(--borderColor-danger-muted)}
.Label{display:inline-block;padding:0 7px;font-size:12px;font-weight:500;line-height:18px;white-space:nowrap;border:1px solid var(--borderColor-default);border-radius:2em;color:var(--fgColor-default)}
.Label--secondary{color:var(--fgColor-muted)}
.Label--primary{color:var(--fgColor-default);border-color:var(--borderColor-emphasis,var(--borderColor-default))}
.Label--large{padding:0 10px;line-height:22px}
.Label--inline{font-size:.9em;line-height:1.5}
.State{display:inline-flex;align-items:center;gap:4px;padding:5px 12px;font-size:14px;font-weight:500;line-height:20px;border-radius:2em;color:var(--fgColor-onEmphasis)!important;background:var(--bgColor-neutral-emphasis)}
.State--open,.State--success{background:var(--bgColor-open-emphasis,var(--bgColor-success-emphasis))}
.State--merged{background:var(--bgColor-done-emphasis)}
.State--closed,.State--danger{background:var(--bgColor-closed-emphasis,var(--bgColor-danger-emphasis))}
${tone('accent', 'accent')}${tone('success', 'success')}${tone('attention', 'attention')}${tone('warning', 'attention')}${tone('danger', 'danger')}${tone('done', 'done')}${tone('severe', 'severe')}${tone('sponsors', 'sponsors')}
.Counter{display:inline-block;min-width:20px;padding:0 6px;font-size:12px;font-weight:500;line-height:18px;text-align:center;border-radius:2em;background:var(--bgColor-neutral-muted);color:var(--fgColor-default)}
.Counter:empty{display:none}
.Link{color:var(--fgColor-accent)}
.Link--primary{color:var(--fgColor-default)!important}
.Link--secondary,.Link--muted{color:var(--fgColor-muted)!important}
.Link--primary:hover,.Link--secondary:hover,.Link--muted:hover{color:var(--fgColor-accent)!important}
.blankslate{padding:48px 24px;text-align:center}
.blankslate-spacious{padding:80px 40px}
.blankslate :not(.btn)>.octicon{color:var(--fgColor-muted);margin-bottom:8px}
.blankslate>.octicon{color:var(--fgColor-muted);margin-bottom:8px}
.blankslate-heading,.blankslate h2,.blankslate h3{font-size:20px;margin-bottom:4px}
.UnderlineNav{display:flex;flex-wrap:nowrap;overflow-x:auto;border-bottom:1px solid var(--borderColor-muted);scrollbar-width:thin}
.UnderlineNav-body{display:flex;margin:0;padding:0;list-style:none}
.UnderlineNav-item{display:inline-flex;align-items:center;gap:8px;padding:8px 14px;margin:0;border:0;border-bottom:2px solid transparent;background:none;color:var(--fgColor-default);font-size:14px;line-height:26px;white-space:nowrap}
.UnderlineNav-item .octicon{color:var(--fgColor-muted)}
.UnderlineNav-item:hover{border-bottom-color:var(--borderColor-neutral-muted,var(--borderColor-default));text-decoration:none}
.UnderlineNav-item.selected,.UnderlineNav-item[aria-current]:not([aria-current=false]),.UnderlineNav-item[aria-selected=true]{font-weight:600;border-bottom-color:var(--underlineNav-borderColor-active,#fd8c73)}
.UnderlineNav-item[aria-current]:not([aria-current=false]){scroll-initial-target:nearest}
@media (max-width:543px){.UnderlineNav-item{padding:8px}.UnderlineNav-item .octicon{display:none}}
.tabnav{margin-bottom:16px;border-bottom:1px solid var(--borderColor-default)}
.tabnav-tabs{display:flex;margin-bottom:-1px;overflow-x:auto}
.tabnav-tab{padding:8px 16px;color:var(--fgColor-muted);border:1px solid transparent;border-bottom:0;border-radius:6px 6px 0 0;white-space:nowrap}
.tabnav-tab.selected,.tabnav-tab[aria-current]{color:var(--fgColor-default);border-color:var(--borderColor-default);background:var(--bgColor-default)}
.menu{border:1px solid var(--borderColor-default);border-radius:6px;overflow:hidden;list-style:none;margin-bottom:16px}
.menu-item{display:flex;align-items:center;gap:8px;padding:8px 16px;color:var(--fgColor-default);border-top:1px solid var(--borderColor-muted);border-left:2px solid transparent}
.menu-item:first-child{border-top:0}
.menu-item:hover{background:var(--bgColor-muted);text-decoration:none}
.menu-item.selected,.menu-item[aria-current]{font-weight:600;border-left-color:var(--underlineNav-borderColor-active,#fd8c73);background:var(--bgColor-muted)}
@media (max-width:767px){.menu{display:grid;grid-template-columns:repeat(2,minmax(0,1fr))}.menu-item{hyphens:auto;overflow-wrap:anywhere}.menu-heading,.menu-search{grid-column:1/-1}.menu-heading+.menu-item+.menu-item,.menu-item:first-child+.menu-item{border-top:0}}
.menu-search{padding:8px;border-top:1px solid var(--borderColor-muted)}
.menu-search:first-child{border-top:0}
.menu-heading{padding:8px 16px;font-weight:600;background:var(--bgColor-muted)}
.Subhead{display:flex;flex-wrap:wrap;align-items:center;gap:8px;padding-bottom:8px;margin-bottom:16px;border-bottom:1px solid var(--borderColor-muted)}
.Subhead-heading{flex:1 1 auto;font-size:24px;font-weight:400}
.Subhead-heading--danger{color:var(--fgColor-danger)}
.Subhead-description{flex:1 100%;color:var(--fgColor-muted)}
.Progress{display:flex;height:8px;overflow:hidden;border-radius:6px;background:var(--bgColor-neutral-muted)}
.Progress-item{outline:2px solid transparent}
.breadcrumb-item{display:inline-block;margin-left:-.35em;white-space:nowrap;list-style:none}
.breadcrumb-item:not(:last-child)::after{content:"/";padding:0 .4em;color:var(--fgColor-muted)}
.breadcrumb-item-selected,.breadcrumb-item[aria-current]{font-weight:600}
.TimelineItem{position:relative;display:flex;padding:16px 0;margin-left:16px}
.TimelineItem::before{content:"";position:absolute;top:0;bottom:0;left:0;width:2px;background:var(--borderColor-muted)}
.TimelineItem-badge{position:relative;z-index:1;display:flex;width:32px;height:32px;margin:0 8px 0 -15px;align-items:center;justify-content:center;flex-shrink:0;border:2px solid var(--bgColor-default);border-radius:50%;background:var(--bgColor-muted);color:var(--fgColor-muted)}
.TimelineItem-body{flex:1 1 auto;min-width:0;color:var(--fgColor-muted)}
.Avatar,.avatar{display:inline-block;overflow:hidden;line-height:1;vertical-align:middle;border-radius:50%;background:var(--bgColor-muted);flex-shrink:0}
.avatar-small{border-radius:50%}
.Truncate{display:inline-flex;min-width:0;max-width:100%}
.Truncate-text{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.css-truncate,.css-truncate-overflow,.css-truncate-target{min-width:0;max-width:100%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.css-truncate-target{display:inline-block;vertical-align:top}
.topic-tag{display:inline-block;padding:0 10px;margin:0 4px 4px 0;font-size:12px;font-weight:500;line-height:24px;border-radius:2em;background:var(--bgColor-accent-muted);color:var(--fgColor-accent)}
.topic-tag-link:hover{background:var(--bgColor-accent-emphasis);color:var(--fgColor-onEmphasis);text-decoration:none}
.dropdown{position:relative}
.dropdown-caret{display:inline-block;width:0;height:0;margin-left:2px;vertical-align:middle;border:solid transparent;border-width:4px 4px 0;border-top-color:currentcolor}
.dropdown-menu{position:absolute;left:0;z-index:100;min-width:180px;max-width:90vw;margin:4px 0 0;padding:4px;list-style:none;border:1px solid var(--borderColor-default);border-radius:8px;background:var(--overlay-bgColor,var(--bgColor-default));box-shadow:var(--shadow-floating-small,0 8px 24px rgba(0,0,0,.2))}
.dropdown-menu-sw{left:auto;right:0}
.dropdown-item{display:block;padding:6px 10px;border-radius:6px;color:var(--fgColor-default);white-space:nowrap}
button.dropdown-item{width:100%;text-align:left;border:0;background:none}
.dropdown-item:hover{background:var(--bgColor-neutral-muted);text-decoration:none}
.btn[aria-current]:not([aria-current=false]){background:var(--bgColor-neutral-muted);font-weight:600}
label .form-control,label .form-select,label input[type=file]{font-weight:400}
.form-group .form-control:not(:disabled){background-color:var(--bgColor-default)}
.form-group textarea.form-control:not(:disabled){height:auto;min-height:0}
input[type=file]{max-width:100%;font-size:14px;color:var(--fgColor-muted)}
input[type=file]::file-selector-button{margin-right:8px;padding:3px 12px;font:inherit;font-size:12px;font-weight:500;line-height:20px;color:var(--fgColor-default);background:var(--bgColor-muted);border:1px solid var(--borderColor-default);border-radius:6px;cursor:pointer}
input[type=file]::file-selector-button:hover{background:var(--bgColor-neutral-muted)}
.form-group .error,.form-error{color:var(--fgColor-danger);font-size:12px}
`;
