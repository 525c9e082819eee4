package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"
	"os"
)

// The types of MaxMind's DB format 2.0 that are read; all others are skipped by their size.
const (
	typePointer = 1
	typeDouble  = 3
	typeMap     = 7
	typeArray   = 11
	typeBoolean = 14
	typeFloat   = 15
)

const metadataMark = "\xab\xcd\xefMaxMind.com"
const separatorBytes = 16 // between the search tree and the data

// database is an MMDB file in memory, of which only the locations of addresses are read.
type database struct {
	tree       []byte
	data       section
	nodes      uint
	recordBits uint
	ipVersion  uint
	ipv4Node   uint // in an IPv6 tree: the node at the end of ::/96
}

// section is a part of the file with values. Pointers are relative to its start.
type section []byte

func openDatabase(path string) (*database, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	mark := bytes.LastIndex(file, []byte(metadataMark))
	if mark < 0 {
		return nil, fmt.Errorf("%s is not an MMDB file", path)
	}
	metadata := section(file[mark+len(metadataMark):])
	opened := &database{
		nodes:      metadata.unsigned("node_count"),
		recordBits: metadata.unsigned("record_size"),
		ipVersion:  metadata.unsigned("ip_version"),
	}
	switch opened.recordBits {
	case 24, 28, 32:
	default:
		return nil, fmt.Errorf("%s has records of %d bits", path, opened.recordBits)
	}
	treeBytes := opened.nodes * opened.recordBits / 4
	opened.tree = file[:treeBytes]
	opened.data = section(file[treeBytes+separatorBytes : mark])
	if opened.ipVersion == 6 {
		for bit := 0; bit < 96 && opened.ipv4Node < opened.nodes; bit++ {
			opened.ipv4Node = opened.record(opened.ipv4Node, 0)
		}
	}
	return opened, nil
}

// record returns the left (0) or right (1) record of a node.
func (d *database) record(node, side uint) uint {
	at := d.tree[node*d.recordBits/4:]
	switch d.recordBits {
	case 24:
		at = at[3*side:]
		return uint(at[0])<<16 | uint(at[1])<<8 | uint(at[2])
	case 28:
		high := uint(at[3]>>4) << 24
		if side == 1 {
			high = uint(at[3]&0xf) << 24
		}
		at = at[4*side:]
		return high | uint(at[0])<<16 | uint(at[1])<<8 | uint(at[2])
	default:
		return uint(binary.BigEndian.Uint32(at[4*side:]))
	}
}

// locate returns the location of an address, and whether the file has one.
func (d *database) locate(address netip.Addr) (location, bool) {
	node := uint(0)
	if address.Is4() && d.ipVersion == 6 {
		node = d.ipv4Node
	} else if !address.IsValid() || address.Is6() && d.ipVersion == 4 {
		return location{}, false
	}
	bits := address.AsSlice()
	for bit := 0; bit < 8*len(bits) && node < d.nodes; bit++ {
		node = d.record(node, uint(bits[bit/8]>>(7-bit%8)&1))
	}
	if node <= d.nodes {
		return location{}, false
	}
	return d.placeOf(node - d.nodes - separatorBytes)
}

// placeOf reads a record: GeoIP2's have the coordinates in a map, DB-IP's are flat.
func (d *database) placeOf(record uint) (location, bool) {
	if nested, there := d.data.find(record, "location"); there {
		record = nested
	}
	latitude, hasLatitude := d.data.number(record, "latitude")
	longitude, hasLongitude := d.data.number(record, "longitude")
	if !hasLatitude || !hasLongitude {
		return location{}, false
	}
	return location{latitude, longitude}, true
}

// head reads the control bytes of a value: its type, its size (for a pointer, its target), and
// where its content begins.
func (s section) head(at uint) (kind, size, content uint) {
	control := uint(s[at])
	kind, at = control>>5, at+1
	if kind == typePointer {
		return s.pointer(control, at)
	}
	if kind == 0 {
		kind, at = 7+uint(s[at]), at+1
	}
	size = control & 31
	if size < 29 {
		return kind, size, at
	}
	more := size - 28 // the number of bytes of the size
	base := []uint{0, 29, 285, 65821}[more]
	return kind, base + s.bigEndian(at, more), at + more
}

func (s section) pointer(control, at uint) (kind, to, content uint) {
	size := control >> 3 & 3
	value := s.bigEndian(at, size+1)
	if size < 3 {
		value |= (control & 7) << (8 * (size + 1))
	}
	return typePointer, value + []uint{0, 2048, 526336, 0}[size], at + size + 1
}

func (s section) bigEndian(at, count uint) (value uint) {
	for _, each := range s[at : at+count] {
		value = value<<8 | uint(each)
	}
	return value
}

// resolved is like head, but follows a pointer to its value.
func (s section) resolved(at uint) (kind, size, content uint) {
	kind, size, content = s.head(at)
	if kind == typePointer {
		return s.head(size)
	}
	return kind, size, content
}

// end returns where the next value begins.
func (s section) end(at uint) uint {
	kind, size, content := s.head(at)
	switch kind {
	case typePointer, typeBoolean:
		return content
	case typeMap:
		size *= 2
	case typeArray:
	default:
		return content + size
	}
	for ; size > 0; size-- {
		content = s.end(content)
	}
	return content
}

// find returns where the value of a member of the map at `at` begins.
func (s section) find(at uint, name string) (uint, bool) {
	kind, size, content := s.resolved(at)
	if kind != typeMap {
		return 0, false
	}
	for ; size > 0; size-- {
		_, length, key := s.resolved(content)
		content = s.end(content)
		if string(s[key:key+length]) == name {
			return content, true
		}
		content = s.end(content)
	}
	return 0, false
}

// number reads a member that is a finite double or float.
func (s section) number(at uint, name string) (float64, bool) {
	found, there := s.find(at, name)
	if !there {
		return 0, false
	}
	kind, size, content := s.resolved(found)
	value := math.NaN()
	switch {
	case kind == typeDouble && size == 8:
		value = math.Float64frombits(binary.BigEndian.Uint64(s[content:]))
	case kind == typeFloat && size == 4:
		value = float64(math.Float32frombits(binary.BigEndian.Uint32(s[content:])))
	}
	return value, !math.IsNaN(value) && !math.IsInf(value, 0)
}

// unsigned reads a member that is an unsigned integer; 0 if it is missing.
func (s section) unsigned(name string) uint {
	found, there := s.find(0, name)
	if !there {
		return 0
	}
	_, size, content := s.resolved(found)
	return s.bigEndian(content, size)
}
