package main

import (
	"container/list"
	"sync"
)

type place struct {
	at    location
	known bool
}

type entry struct {
	of   place
	body []byte
}

// replyCache keeps the most recently used replies, up to a limit of bytes for their bodies.
type replyCache struct {
	mutex       sync.Mutex
	limit, held int
	recent      *list.List
	found       map[place]*list.Element
}

func newReplyCache(limit int) *replyCache {
	return &replyCache{limit: limit, recent: list.New(), found: map[place]*list.Element{}}
}

func (c *replyCache) get(at location, known bool) ([]byte, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	element, there := c.found[place{at, known}]
	if !there {
		return nil, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(entry).body, true
}

func (c *replyCache) put(at location, known bool, body []byte) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	of := place{at, known}
	if _, there := c.found[of]; there {
		return
	}
	c.found[of] = c.recent.PushFront(entry{of, body})
	c.held += len(body)
	for c.held > c.limit {
		oldest := c.recent.Back()
		gone := c.recent.Remove(oldest).(entry)
		delete(c.found, gone.of)
		c.held -= len(gone.body)
	}
}
