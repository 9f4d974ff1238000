"""Patches for Neo4j Browser's files.

Each patch is a string that occurs exactly once in a file, and its replacement. The strings match one version of Neo4j
Browser. The module `jar` raises BrowserError if a string does not occur.
"""

from __future__ import annotations

_APP = {
    # Neo4j Browser assigns a node's colour to its first label in code point order, and `_` sorts before lower-case
    # letters. All types with lower-case names would share the colour of `_Node`, and then all other types too.
    "let n=!0,i=!0;for(let t=0;t<this.rules.length;t++){const r=this.rules[t];r.selector": (
        'let n=e.classes.some(e=>"_Node"!==e),i=n;for(let t=0;t<this.rules.length;t++){const r=this.rules[t];r.selector'
    ),
    "new o(e.tag,e.classes.sort().slice(0,1))": (
        'new o(e.tag,e.classes.filter(e=>"_Node"!==e).sort().concat("_Node").slice(0,1))'
    ),
    # Neo4j Browser chooses the next colour by the number of types, and has only twelve colours. Take an unused colour
    # instead or, if all are used, derive a colour from the name.
    "const t=e.filter(e=>null!=e.props.color).map(e=>e.props.color),n=t.length-1>d?0:t.length-1;return d[n]": (
        "const t=e.map(e=>e.props.color);return d.find(e=>!t.includes(e.color))"
    ),
    "this.useGeneratedDefaultColors?e(s):this.findAvailableDefaultColor(this.rules)": (
        "this.findAvailableDefaultColor(this.rules)||e(s)"
    ),
    # A node's panel lists all properties by name. List user properties first, then title and content, and all other
    # properties on request.
    ".sort((e,t)=>e.key<t.key?-1:1),h=d.slice(0,i);return s.default.createElement(c.PaneWrapper": (
        '.map(e=>({...e,rank:["_title","_content"].indexOf(e.key)+1||(/^[_<]/.test(e.key)?3:0)}))'
        ".sort((e,t)=>e.rank-t.rank||(e.key<t.key?-1:1)),"
        "h=d.slice(0,i>t.DETAILS_PANE_STEP_SIZE?i:d.filter(e=>e.rank<3).length||i);"
        "return s.default.createElement(c.PaneWrapper"
    ),
    # Fit the whole graph into the area that the panel (320 points wide) does not cover.
    "return{scale:(1-s.ZOOM_FIT_PADDING_PERCENT)/Math.max(e/i,t/o),centerPointOffset:{x:-n,y:-a}}": (
        "const p=i>800?320:0,c=(1-s.ZOOM_FIT_PADDING_PERCENT)/Math.max(e/(i-p),t/o);"
        "return{scale:c,centerPointOffset:{x:-n-p/2/Math.min(c,s.ZOOM_MAX_SCALE),y:-a}}"
    ),
    # After a login, show the graph first, not a note about the connection.
    '(n.dispatch(f.executeSystemCommand(":server status")),n.dispatch(f.executeSystemCommand(m.getInitCmd(': (
        "(n.dispatch(f.executeSystemCommand(m.getInitCmd("
    ),
    # Initial parameters, set by `seed.js`.
    't.NAME="params",t.UPDATE_PARAMS=t.NAME+"/UPDATE";const i=t.NAME+"/REPLACE",o={};': (
        't.NAME="params",t.UPDATE_PARAMS=t.NAME+"/UPDATE";const i=t.NAME+"/REPLACE",o=window.graphMemoryParams||{};'
    ),
    # Send nothing to other machines: no analytics scripts, no reports. The server's content policy also forbids them.
    "loadExternalScripts:!1!==M.shouldAllowOutgoingConnections(e)&&R.isConnected(e)": "loadExternalScripts:!1",
    "t.setupSentry=function(){": "t.setupSentry=function(){return;",
}

_STYLES = {
    '"@import url(https://fonts.googleapis.com/css2?family=Fira+Code:wght@500'
    '&family=Nunito+Sans:wght@300;400;500;600;700&display=swap);"': '""',
}

_INDEX = {
    '<script src="ui-libs-': (
        '<script src="graph-memory/seeds.js"></script><script src="graph-memory/seed.js"></script><script src="ui-libs-'
    ),
}

PATCHES = {r"index\.html": _INDEX, r"app-[0-9a-f]+\.js": _APP, r"ui-libs-[0-9a-f]+\.bundle\.js": _STYLES}
"""The patches for each file, by a pattern for the file's name."""
