def mobility_text(*a): return ''
